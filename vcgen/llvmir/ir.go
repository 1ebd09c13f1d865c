// Package llvmir reads LLVM assembly of clang 14 to 23 and of our linker into typed Go data.
//
// For example,
//
//	define i32 @f(ptr %p) {
//	  %q = getelementptr i32, ptr %p, i64 2
//	  %x = load i32, ptr %q
//	  ret i32 %x
//	}
//
// becomes a Func with one Block of three Instr: an OpGEP with the sum %p + 8, an OpLoad and an OpRet. Names are
// resolved to register numbers: %p is 0, %q is 1, %x is 2.
//
// Principal types: Module, Global, Func, Block, Instr, Operand, Const and Type; Loc, Scope, DIVar and DIType have the
// debug information. Package vcgen/clangir interprets idioms of clang that go beyond LLVM's semantics.
//
// Reading order: ir.go has the data, read.go the entry point. A text is first cut into its entities (module.go),
// token by token (package lexer), because they may refer to each other in any order. Then types, attributes, symbols
// and functions are read (body.go, instrs.go, calls.go, terminators.go). Constants are folded when they are read
// (parse_consts.go, fold.go), and metadata is read on reference (metadata.go, debug.go, ditype.go).
//
// The reader rejects unknown words with the line, because ignoring a word could change the meaning of the program.
// Tests compare it with the parser of github.com/llir/llvm (oracle_test.go, agree_test.go), which takes five to eight
// times the CPU time and five times the memory.
package llvmir

import (
	"math/big"
	"slices"
	"strconv"
)

// Module is a linked LLVM module lowered for execution.
//
// Registers are numbered per function, operands are resolved, address computations are linear sums, and constant
// expressions are folded if possible.
type Module struct {
	Globals []*Global
	Funcs   []*Func
	// Ctors are the functions of llvm.global_ctors by priority.
	Ctors []*Func
	// Dtors are the functions of llvm.global_dtors, in the order of their calls.
	Dtors []*Func
	// Unsupported is a construct that affects all executions; "" if there is none.
	Unsupported string
	// OpaquePointers: pointers in the text have no pointee types, as in LLVM 15 and later.
	OpaquePointers bool
	// Layout is the data layout of the target; every size, offset and alignment of a type follows from it.
	Layout *Layout
	// Types for instructions that are inserted into the module. Word has the width of an address.
	Void, Int64, Word *Type

	FuncByName   map[string]*Func
	GlobalByName map[string]*Global
}

// TypeKind is the kind of a Type.
type TypeKind uint8

// Kinds of types.
const (
	VoidType  TypeKind = iota
	IntType            // Bits wide
	FloatType          // Bits 16, 32 or 64 (80, 128 and types with a Name can be read but not executed)
	PointerType
	ArrayType  // Len elements of Elem
	VectorType // Len elements of Elem
	StructType
	FuncType
	LabelType
	MetadataType
	OpaqueType // a struct without a body
)

// Type is an LLVM type with its size and alignment under the data layout of its module.
//
// Types are canonical per module: equal types are the same pointer.
type Type struct {
	Kind TypeKind
	Name string // of a named struct, without %
	Bits int    // IntType, FloatType
	Len  int64  // ArrayType, VectorType
	// Elem: element type of ArrayType and VectorType. For PointerType, the pointee in the text of LLVM 14, otherwise
	// nil; it is only used to print the type. The user of a pointer determines its target type.
	Elem     *Type
	Fields   []*Type
	Offsets  []int64 // byte offset of each field
	Packed   bool
	Ret      *Type   // FuncType
	Params   []*Type // FuncType
	Variadic bool    // FuncType

	Size      int64 // allocation size in bytes, a multiple of Align
	StoreSize int64 // bytes that a store of the type writes
	Align     int64 // ABI alignment in bytes

	id      int         // identifies the type while types are read
	state   layoutState // whether Size, StoreSize, Align and Offsets are valid
	space   int64       // PointerType: the address space
	pointer *Type       // the type of pointers to it, if it exists
	// Of a named struct: whether its definition was read, and the offset of its first mention.
	defined   bool
	mentioned int
}

// IsFirstClassScalar reports whether values of t are one integer, float or pointer.
func (t *Type) IsFirstClassScalar() bool {
	return t.Kind == IntType || t.Kind == FloatType || t.Kind == PointerType
}

// Global is a global variable.
type Global struct {
	Name        string
	SourceName  string // C name from debug information, otherwise Name
	Type        *Type  // of the variable itself, not of its address
	Init        *Const // nil for a declaration
	Arbitrary   bool   // its initial value is arbitrary, although the text defines it (externally_initialized)
	Constant    bool
	UnnamedAddr bool // its address is not significant: may be merged with equal constants
	External    bool // has external linkage in the program (before internalize)
	ThreadLocal bool
	Align       int64
	LabelOf     string  // the function that contains the label; "" if it is not a label (labelAddress)
	Loc         *Loc    // of the declaration; nil if unknown
	DIType      *DIType // nil if unknown
}

// Func is a function definition or declaration.
type Func struct {
	Name       string
	SourceName string // C name from debug information, otherwise Name
	Type       *Type  // FuncType
	Params     []Param
	Ret        *Type
	RetDIType  *DIType  // C type of a scalar result or of a result in memory; nil if unknown
	ResultType *DIType  // C type of the result, also of a structure in registers; nil if unknown or void
	RetSigned  bool     // a small signed integer is returned sign-extended to 32 bits
	Blocks     []*Block // empty for a declaration
	NumRegs    int      // registers 0..NumRegs-1; the first len(Params) are the parameters
	RegNames   []string // LLVM names of the registers, for dumps
	NoReturn   bool
	// ReturnsTwice: it may return several times, like setjmp.
	ReturnsTwice bool
	// Features are the features of the machine that the function is compiled for, "+sse2,-x87" for example.
	Features string
	Variadic bool
	External bool // external linkage in the program (before internalize)
	// Weak: it is declared weak, and the module does not define it. Its address is NULL unless other code defines it.
	Weak bool
	// Replaceable: a definition in another file may replace it (__attribute__((weak))).
	Replaceable bool
	// Language is the DWARF language of its file (DW_LANG_C11, DW_LANG_Rust), "" if unknown.
	Language string
	Scope    *Scope
	Loc      *Loc // of the definition or declaration; nil if unknown
	// Unsupported is the reason why the function cannot be executed ("" if it can).
	Unsupported string
}

// RegName returns the LLVM name of a register, or its number.
func (f *Func) RegName(r int) string {
	if r >= 0 && r < len(f.RegNames) && f.RegNames[r] != "" {
		return f.RegNames[r]
	}
	return "%" + strconv.Itoa(r)
}

// InMemory returns the index of the parameter that is the address of the result; -1 if the result is a value.
func (f *Func) InMemory() int {
	return slices.IndexFunc(f.Params, func(p Param) bool { return p.SRet != nil })
}

// Arity returns the number of parameters of the function in C.
func (f *Func) Arity() int {
	if f.InMemory() >= 0 {
		return len(f.Params) - 1
	}
	return len(f.Params)
}

// CanBeAddress returns a function that reports whether argument i of a call has the width of an address; i = -1 is the
// result.
//
// It is true if the argument does not exist.
func (in *Instr) CanBeAddress(l *Layout) func(i int) bool {
	return func(i int) bool {
		t := in.passed(i)
		return t == nil || t.Kind == PointerType || t.Kind == IntType && t.Bits == l.Pointer
	}
}

// CanBeInteger reports whether argument i of a call is an address or an integer of at most 64 bits.
//
// i = -1 is the result. It is true if the argument does not exist.
func (in *Instr) CanBeInteger(i int) bool {
	t := in.passed(i)
	return t == nil || t.Kind == PointerType || t.Kind == IntType && t.Bits <= 64
}

func (in *Instr) passed(i int) *Type {
	switch {
	case i >= 0:
		return in.Args[i].Type
	case in.Type.Kind == VoidType:
		return nil
	}
	return in.Type
}

// Param is a parameter of a function.
type Param struct {
	Name  string
	Type  *Type
	ByVal *Type // pointee type of a byval parameter, otherwise nil: the callee receives a copy
	SRet  *Type // type of the result, if the parameter is its address; otherwise nil
	// Indirect are the bytes of a struct whose copy the caller passes by address, as the ABI says; otherwise nil. The
	// assembly has a plain pointer, which debug information distinguishes from a pointer in C.
	Indirect *Type
	Align    int64
	// NoAlias: other pointers do not reach what it points to (restrict).
	NoAlias bool
	// PointsToConst: the C type is a pointer to const (from debug information); false if unknown.
	PointsToConst bool
	DIType        *DIType // nil if unknown
}

// Pointee returns the type of the object that a caller provides for the parameter; nil if there is none.
//
// It is a struct that is passed by value, or a result that does not fit into registers.
func (p *Param) Pointee() *Type {
	switch {
	case p.SRet != nil:
		return p.SRet
	case p.Indirect != nil:
		return p.Indirect
	}
	return p.ByVal
}

// Block is a basic block. Its last instruction is the only terminator.
type Block struct {
	Index  int // position in Func.Blocks
	Name   string
	Instrs []*Instr
	Preds  []int // each predecessor once, ascending
	Succs  []int // in terminator order, may repeat
	// Loop is where a loop begins if the terminator ends its iterations and says so (!llvm.loop); else nil.
	Loop *Loc
}

// Term returns the block's terminator.
func (b *Block) Term() *Instr { return b.Instrs[len(b.Instrs)-1] }

// Op is the operation of an instruction.
type Op uint8

// Operations. Args are the operands in the order given.
const (
	OpInvalid Op = iota
	// OpUnsupported: Text is the construct; the result of executing it is unknown.
	OpUnsupported
	// Integer arithmetic, Args x, y; element-wise on vectors.
	OpAdd
	OpSub
	OpMul
	OpUDiv
	OpSDiv
	OpURem
	OpSRem
	OpShl
	OpLShr
	OpAShr
	OpAnd
	OpOr
	OpXor
	// Floating point, Args x, y (OpFNeg: x).
	OpFAdd
	OpFSub
	OpFMul
	OpFDiv
	OpFRem
	OpFNeg
	// Comparisons, Pred, Args x, y.
	OpICmp
	OpFCmp
	// Conversions, Args x.
	OpTrunc
	OpZExt
	OpSExt
	OpFPTrunc
	OpFPExt
	OpFPToUI
	OpFPToSI
	OpUIToFP
	OpSIToFP
	OpPtrToInt
	OpIntToPtr
	OpBitCast // also addrspacecast; pointer to pointer or same-size reinterpretation
	OpFreeze
	// Others.
	OpSelect         // Args cond, x, y
	OpPhi            // Args one per incoming edge, In the predecessor blocks
	OpGEP            // Args base, then one per GEP.Scales
	OpAlloca         // ElemType, Args count (integer), Align
	OpLoad           // Type, Args pointer, Align, Volatile
	OpStore          // Args value, pointer, Align, Volatile
	OpExtractValue   // Args aggregate, Path
	OpInsertValue    // Args aggregate, value, Path
	OpExtractElement // Args vector, index
	OpInsertElement  // Args vector, value, index
	OpShuffleVector  // Args v1, v2; Mask (-1 = undefined)
	OpCall           // Callee, Args the arguments; intrinsics too
	OpInlineAsm      // Text the template, Args the arguments
	opVAArg          // Args va_list; replaced in lowerVAArgs
	OpFence
	OpCmpXchg    // Args pointer, expected, new; result {T, i1}; Text "weak" if it may fail for no reason
	OpAtomicRMW  // Args pointer, value; Text the operation ("add", "xchg", ...)
	OpDbgDeclare // Args address, Var
	OpDbgValue   // Args value, Var
	// Terminators.
	OpRet         // Args empty or value
	OpBr          // Succs[0]
	OpCondBr      // Args cond, Succs[0] when true, Succs[1] when false
	OpSwitch      // Args value, Succs[0] default, Cases[i] leads to Succs[i+1]
	OpUnreachable // Text: the meaning of reaching it, "" if it was declared unreachable
	opIndirectBr  // Args address, Succs its labels; replaced in lowerGotos
)

// Pred is the predicate of a comparison.
type Pred uint8

// Predicates: integer, then floating point (O: ordered, U: true on NaN).
const (
	PredEQ Pred = iota
	PredNE
	PredUGT
	PredUGE
	PredULT
	PredULE
	PredSGT
	PredSGE
	PredSLT
	PredSLE
	PredFalse
	PredOEQ
	PredOGT
	PredOGE
	PredOLT
	PredOLE
	PredONE
	PredORD
	PredUEQ
	PredFUGT
	PredFUGE
	PredFULT
	PredFULE
	PredUNE
	PredUNO
	PredTrue
)

// Instr is an instruction.
type Instr struct {
	// ID is unique in the module and dense from 1; it identifies the instruction in the unfolder and in the
	// interpreter.
	ID int
	Op Op
	// Ordinal is the position of the instruction in the text of the function from 0, including terminators. -1 for
	// inserted instructions (clangir: lifetimes).
	Ordinal int
	Type    *Type // of the result; the void type if there is none
	Dst     int   // result register, -1 if there is none
	Args    []Operand
	Loc     *Loc // nil if the compiler provided none

	Pred     Pred
	Dispatch bool // OpICmp: part of the dispatch of a computed goto
	GEP      *GEP
	ElemType *Type // OpAlloca: allocated type; OpGEP: source element type
	Align    int64 // bytes; 0 if unknown
	Volatile bool
	Atomic   bool     // OpLoad, OpStore
	Path     []int    // OpExtractValue, OpInsertValue
	Mask     []int    // OpShuffleVector
	In       []int    // OpPhi: predecessor block of each argument
	Succs    []int    // terminators: successor blocks
	Cases    []*Const // OpSwitch: integer constants
	Callee   Operand  // OpCall: OperandConst with a function address, or a register
	FuncType *Type    // OpCall: the function type of the call site
	// OpCall of an llvm.* function: its name without type suffixes ("memcpy", "sadd.with.overflow", "lifetime.start")
	Intrinsic string
	// SignExt: for each argument, whether the caller sign-extends it to 32 bits, as in the ABI for small signed
	// integers; a nil slice if none is.
	SignExt []bool
	ByVal   []*Type // OpCall: for each argument, the byval pointee type or nil; a nil slice if there is none
	// ByValAlign: for each argument, the alignment of its ByVal type in bytes, 0 if unknown. For a struct with a
	// member that C aligns more than LLVM (__int128), it is C's alignment.
	ByValAlign []int64
	Text       string
	// AsmConstraints (OpInlineAsm): the constraint string of LLVM.
	AsmConstraints string
	// Indirect (OpInlineAsm): for each argument, its target type, nil for a value; a nil slice if all are values.
	Indirect []*Type
	Var      *DIVar
	// Facts are additional statements of a call of llvm.assume; their operands are the last of Args.
	Facts []Fact
	// NoReturn (OpCall): the call site is marked noreturn.
	NoReturn bool
	// NoSanitize: emitted by a sanitizer (metadata !nosanitize).
	NoSanitize bool
	// NoSignedWrap (OpAdd, OpSub, OpMul): signed overflow is undefined (nsw).
	NoSignedWrap bool
	// Relaxed: arithmetic of floats need not be exact (fast and its parts).
	Relaxed bool
	// Inbounds (OpGEP): the result must remain in the object.
	Inbounds bool
}

// LocIn returns the location of an instruction, or that of its function if it has none or line 0.
func (in *Instr) LocIn(f *Func) *Loc {
	if in == nil || in.Loc == nil || in.Loc.Line == 0 && f.Loc != nil {
		return f.Loc
	}
	return in.Loc
}

// Fact is an operand bundle of llvm.assume: a tag, "align" or "nonnull", and the range of its operands in Args.
type Fact struct {
	Tag      string
	From, To int
}

// GEP is an address computation as a linear sum in bytes:
// base + Const + sum over i of sext64(Args[i+1]) * Scales[i].
type GEP struct {
	Const  int64
	Scales []int64
	// Index is the last index, of an array element or of a pointer's target; Type is nil if the last index is another
	// one. Len is the number of elements of the array, -1 if no type determines it.
	Index Operand
	Len   int64
	// Last: the last member of a struct.
	Last bool
	// To is the target type of the address.
	To *Type
	// Outside is a constant index outside of its array, nil if there is none.
	Outside *Outside
	moves   bool // the first index is not 0
	carried *carriedIndex
}

// Outside is a constant index of an inner array of Len elements that is below 0 or not below Len.
//
// Arrays without elements, and arrays of one element at the end of a struct, have no such index.
type Outside struct{ Index, Len int64 }

// OperandKind is the kind of an Operand.
type OperandKind uint8

// Kinds of operands.
const (
	OperandConst OperandKind = iota
	OperandReg
	OperandMetadata // a metadata argument, without content
)

// Operand is a register or a constant.
type Operand struct {
	Kind  OperandKind
	Reg   int
	Const *Const
	Type  *Type
}

// ConstKind is the kind of a Const.
type ConstKind uint8

// Kinds of constants.
const (
	ConstInt       ConstKind = iota // Int, non-negative, below 2^Bits
	ConstFloat                      // Int holds the IEEE bits
	ConstNull                       // null pointer
	ConstUndef                      // also poison: arbitrary, fresh at each use
	ConstZero                       // zeroinitializer of an aggregate
	ConstAggregate                  // Elems: array, vector or struct
	ConstData                       // Data: array of i8
	ConstGlobal                     // address of Global plus Offset bytes
	ConstFunc                       // address of Func plus Offset bytes
	ConstExpr                       // Expr: an expression that must be evaluated
)

// Const is a constant.
type Const struct {
	Kind   ConstKind
	Type   *Type
	Int    *big.Int
	Elems  []*Const
	Data   []byte
	Global *Global
	Func   *Func
	Offset int64
	// Outside is a constant index outside of its array that was used to compute the address; nil if there is none.
	// LLVM records only the object and the offset.
	Outside *Outside
	// Expr is an instruction with constant operands (Op, Type, Args, Pred, GEP...).
	Expr *Instr
}
