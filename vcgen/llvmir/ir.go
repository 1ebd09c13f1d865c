// Package llvmir reads LLVM assembly, as clang 14 to 23 and our linker write it, into typed Go data. What clang means
// by it beyond LLVM's semantics is vcgen/clangir's.
//
// ir.go has the data, read.go the entry. A text is cut into its entities first (module.go), token by token (package
// lexer), since they refer to each other in any order; then come types, attributes, symbols, and the functions one
// after the other (body.go, instrs.go, calls.go, terminators.go). Constants are folded when they are read
// (parse_consts.go, fold.go), and metadata is read where something refers to it (metadata.go, debug.go, ditype.go).
// What the reader does not know it refuses, with the line: a word that is passed over could change what the program
// means. Tests compare with the parser of github.com/llir/llvm (oracle_test.go, agree_test.go), which takes five to
// eight times the CPU time and five times the memory.
package llvmir

import (
	"math/big"
	"slices"
	"strconv"
)

// Module is a linked LLVM module lowered for execution: registers are numbered per
// function, operands are resolved, address computations are linear sums and constant
// expressions are folded to constants where that is possible.
type Module struct {
	Globals []*Global
	Funcs   []*Func
	// Ctors are the functions of llvm.global_ctors in order of priority.
	Ctors []*Func
	// Dtors are the functions of llvm.global_dtors, in the order in which they are called.
	Dtors []*Func
	// Unsupported is what keeps every execution from being understood, "" for nothing.
	Unsupported string
	// OpaquePointers: the text writes pointers as LLVM 15 and later do, without pointee types.
	OpaquePointers bool
	// Types for instructions that are put into the module.
	Void, Int64 *Type

	FuncByName   map[string]*Func
	GlobalByName map[string]*Global
}

// TypeKind tells the variants of Type apart.
type TypeKind uint8

// Kinds of types.
const (
	VoidType  TypeKind = iota
	IntType            // Bits wide
	FloatType          // Bits 16, 32 or 64 (80, 128 and types with a Name are read but not executable)
	PointerType
	ArrayType  // Len elements of Elem
	VectorType // Len elements of Elem
	StructType
	FuncType
	LabelType
	MetadataType
	OpaqueType // a struct without a body
)

// Type is an LLVM type with its layout under the x86-64 System V data layout.
// Types are canonical per module: equal types are the same pointer.
type Type struct {
	Kind TypeKind
	Name string // of a named struct, without %
	Bits int    // IntType, FloatType
	Len  int64  // ArrayType, VectorType
	// Elem: of ArrayType and VectorType. Of PointerType the pointee where the text has it, as LLVM 14 writes it, and nil
	// where it does not: for writing the type back. What is behind a pointer is said by who uses it.
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

	id      int         // tells types apart while they are read
	state   layoutState // whether Size, StoreSize, Align and Offsets hold
	space   int64       // PointerType: the address space
	pointer *Type       // the type of pointers to it, once there is one
	// Of a named struct: whether its definition was read, and where in the text its name stands first.
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
	SourceName  string // C name where debug information has it, else Name
	Type        *Type  // of the variable itself, not of its address
	Init        *Const // nil for a declaration
	Arbitrary   bool   // its initial value is any: a declaration for want of one that counts, not of a definition
	Constant    bool
	UnnamedAddr bool // its address is not significant: may be merged with equal constants
	External    bool // has external linkage in the program (before internalize)
	ThreadLocal bool
	Align       int64
	LabelOf     string  // the function in which it is a label, "" for what is no label (labelAddress)
	Loc         *Loc    // of the declaration; nil when unknown
	DIType      *DIType // nil when unknown
}

// Func is a function definition or declaration.
type Func struct {
	Name       string
	SourceName string // C name where debug information has it, else Name
	Type       *Type  // FuncType
	Params     []Param
	Ret        *Type
	RetDIType  *DIType  // of a scalar or of what is put into memory, as C has it; nil when unknown
	RetSigned  bool     // a small signed integer comes back as 32 bits with its sign
	Blocks     []*Block // empty for a declaration
	NumRegs    int      // registers 0..NumRegs-1; the first len(Params) are the parameters
	RegNames   []string // LLVM names of the registers, for dumps
	NoReturn   bool
	Variadic   bool
	External   bool // external linkage in the program (before internalize)
	// Weak: it is declared weak, and nothing in the module defines it. Its address is NULL where nothing else does.
	Weak bool
	// Language is what its file is written in as DWARF has it (DW_LANG_C11, DW_LANG_Rust), "" where nothing tells.
	Language string
	Scope    *Scope
	Loc      *Loc // of the definition or declaration; nil when unknown
	// Unsupported is why the function as a whole cannot be executed ("" when it can).
	Unsupported string
}

// RegName returns the LLVM name of a register, or its number.
func (f *Func) RegName(r int) string {
	if r >= 0 && r < len(f.RegNames) && f.RegNames[r] != "" {
		return f.RegNames[r]
	}
	return "%" + strconv.Itoa(r)
}

// InMemory is the argument that says where the result is put, -1 where the result is a value.
func (f *Func) InMemory() int {
	return slices.IndexFunc(f.Params, func(p Param) bool { return p.SRet != nil })
}

// Arity is the number of parameters that the function has in C.
func (f *Func) Arity() int {
	if f.InMemory() >= 0 {
		return len(f.Params) - 1
	}
	return len(f.Params)
}

// CanBeAddress tells whether the i-th argument of a call, or the result for -1, has as many bits as an address, or is
// not there.
func (in *Instr) CanBeAddress(i int) bool {
	t := in.passed(i)
	return t == nil || t.Kind == PointerType || t.Kind == IntType && t.Bits == 64
}

// CanBeInteger tells whether the i-th argument of a call, or the result for -1, is an integer of at most 64 bits or an
// address, or is not there.
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
	ByVal *Type // pointee type of a byval parameter, else nil: the callee gets its own copy
	SRet  *Type // what the parameter is the address of, where it is the place of the result; else nil
	Align int64
	// PointsToConst: the C type is a pointer to const (from debug information); false when unknown.
	PointsToConst bool
	DIType        *DIType // nil when unknown
}

// Pointee is the type of the object that a caller provides for the parameter: a struct that is passed by value, or the
// place for a result that fits no registers. nil for other parameters.
func (p *Param) Pointee() *Type {
	if p.SRet != nil {
		return p.SRet
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
}

// Term returns the block's terminator.
func (b *Block) Term() *Instr { return b.Instrs[len(b.Instrs)-1] }

// Op is the operation of an instruction.
type Op uint8

// Operations. Args are the operands in the order given.
const (
	OpInvalid Op = iota
	// OpUnsupported: Text says what; executing it gives unknown.
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
	OpGEP            // Args base, then one per GEP.Terms entry
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
	OpVAArg
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
	OpUnreachable // Text: what reaching it means, "" if it was declared unreachable
	opIndirectBr  // Args address, Succs its labels; no function that was read has it (lowerGotos)
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
	// ID is unique in the module and dense from 1: the key by which the unfolder and the
	// interpreter speak of the same place.
	ID int
	Op Op
	// Ordinal counts the instructions of the function's text from 0, terminators included: where
	// the instruction stands there. -1 for what was put in later (clangir: lifetimes).
	Ordinal int
	Type    *Type // of the result; the void type when there is none
	Dst     int   // result register, -1 when there is none
	Args    []Operand
	Loc     *Loc // nil when the compiler gave none

	Pred     Pred
	Dispatch bool // OpICmp: finds the label that a computed goto leads to
	GEP      *GEP
	ElemType *Type // OpAlloca: allocated type; OpGEP: source element type
	Align    int64 // bytes; 0 when unknown
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
	// SignExt: per argument whether its caller extends it with its sign to 32 bits, as the ABI has small signed integers;
	// nil slice when none is.
	SignExt []bool
	ByVal   []*Type // OpCall: per argument the byval pointee type or nil; nil slice when there is none
	// ByValAlign: per argument the alignment of what ByVal says, in bytes, 0 when unknown. Of a struct with a member that
	// is more aligned than LLVM has it (__int128), this is C's.
	ByValAlign []int64
	Text       string
	// AsmConstraints (OpInlineAsm): the constraint string of LLVM.
	AsmConstraints string
	// Indirect (OpInlineAsm): per argument the type of what it is the address of, nil for a value; nil slice when all are.
	Indirect []*Type
	Var      *DIVar
	// Facts are what a call of llvm.assume states beside its condition; their operands are the last of Args.
	Facts []Fact
	// NoReturn (OpCall): the call site is marked noreturn.
	NoReturn bool
	// NoSanitize: emitted by a sanitizer (metadata !nosanitize).
	NoSanitize bool
	// NoSignedWrap (OpAdd, OpSub, OpMul): signed overflow is not defined (nsw).
	NoSignedWrap bool
	// Inbounds (OpGEP): the computation must stay in its object.
	Inbounds bool
}

// LocIn is the place of an instruction of a function: that of the function if the compiler gave none, or line 0.
func (in *Instr) LocIn(f *Func) *Loc {
	if in == nil || in.Loc == nil || in.Loc.Line == 0 && f.Loc != nil {
		return f.Loc
	}
	return in.Loc
}

// Fact is an operand bundle of llvm.assume: a tag, "align" or "nonnull", and the place of its operands in Args.
type Fact struct {
	Tag      string
	From, To int
}

// GEP is an address computation as a linear sum in bytes:
// base + Const + sum over i of sext64(Args[i+1]) * Scales[i].
type GEP struct {
	Const  int64
	Scales []int64
	// Index is the last index, as it stands in the text, of an element of an array or of what a pointer points to; Type is
	// nil where the last index is another. Len is the number of elements that the array has, -1 where no type says so.
	Index Operand
	Len   int64
	// Last: a member of a struct that no other follows.
	Last bool
	// To is the type of what the address leads to.
	To *Type
	// Outside is a constant index on the way that its array does not have, nil for none.
	Outside *Outside
	moves   bool // the first index is another than 0
	carried *carriedIndex
}

// Outside is a constant index of an array of Len elements inside of an object, below 0 or not below Len. An array of no
// elements has every index, and so has one of one element at the end of a struct.
type Outside struct{ Index, Len int64 }

// OperandKind tells the variants of Operand apart.
type OperandKind uint8

// Kinds of operands.
const (
	OperandConst OperandKind = iota
	OperandReg
	OperandMetadata // an argument that is metadata; carries nothing
)

// Operand is a register or a constant.
type Operand struct {
	Kind  OperandKind
	Reg   int
	Const *Const
	Type  *Type
}

// ConstKind tells the variants of Const apart.
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
	ConstExpr                       // Expr: an expression that has to be evaluated
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
	// Outside is a constant index with which the address was computed and that its array does not have, nil for none:
	// LLVM knows the object and the offset only.
	Outside *Outside
	// Expr is an instruction with constant operands (Op, Type, Args, Pred, GEP...).
	Expr *Instr
}
