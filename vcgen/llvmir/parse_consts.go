package llvmir

import (
	"bytes"
	"math"
	"math/big"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// typedConst reads a type and a constant of this type.
func (r *reader) typedConst() *Const { return r.constant(r.typ()) }

// constOperand reads a type and a constant of this type as an operand.
func (r *reader) constOperand() Operand {
	c := r.typedConst()
	return Operand{Kind: OperandConst, Const: c, Type: c.Type}
}

// constant reads a constant of type t and folds it as far as possible.
func (r *reader) constant(t *Type) *Const {
	r.enter()
	c := r.constantOf(t)
	r.leave()
	if c.Type != t {
		r.Fail("a constant of type %s stands where one of type %s belongs", c.Type, t)
	}
	return c
}

func (r *reader) constantOf(t *Type) *Const {
	switch r.Kind {
	case lexer.Int:
		return r.integer(t)
	case lexer.Float:
		return r.float(t)
	case lexer.Global:
		name := r.Name()
		c := r.symbol(name)
		if c == nil {
			r.Fail("@%s is no object of the program", name)
		}
		r.Next()
		return c
	case lexer.Chars:
		if t.Kind != ArrayType || t.Elem != r.intType(8) {
			r.Fail("a string of type %s", t)
		}
		data := lexer.Unescape(r.Text[r.Start+2 : r.End-1])
		if int64(len(data)) != t.Len {
			r.Fail("a string of %d bytes for %s", len(data), t)
		}
		r.Next()
		return &Const{Kind: ConstData, Type: t, Data: append([]byte(nil), data...)}
	case lexer.Word:
		return r.wordConst(t)
	}
	switch {
	case (r.Is('+') || r.Is('-')) && t.Kind == FloatType:
		return r.signedWord(t)
	case r.Is('[') && t.Kind == ArrayType:
		return r.elements(t, '[', ']')
	case r.Is('{') && t.Kind == StructType && !t.Packed:
		return r.elements(t, '{', '}')
	case r.Is('<') && t.Kind == VectorType:
		return r.elements(t, '<', '>')
	case r.Is('<') && t.Kind == StructType && t.Packed:
		r.Next()
		c := r.elements(t, '{', '}')
		r.Expect('>')
		return c
	}
	r.Fail("%q stands where a constant of type %s belongs", r.Shown(), t)
	return nil
}

// integer reads a decimal integer.
func (r *reader) integer(t *Type) *Const {
	if t.Kind != IntType {
		r.Fail("%q is no constant of type %s", r.Shown(), t)
	}
	w := r.Word()
	var x *big.Int
	if len(w) < 19 {
		digits, neg := w, w[0] == '-'
		if neg {
			digits = w[1:]
		}
		n := r.Decimal(digits, math.MaxInt64)
		if neg {
			n = -n
		}
		if c := r.smallConst(t, n); c != nil {
			r.Next()
			return c
		}
		x = big.NewInt(n)
	} else {
		var ok bool
		if len(w) > 1<<16 {
			r.Fail("an integer of %d digits", len(w))
		}
		if x, ok = new(big.Int).SetString(string(w), 10); !ok {
			r.Fail("%q is no number", w)
		}
	}
	// A width must be able to represent the number, signed or unsigned.
	if x.BitLen() > t.Bits {
		r.Fail("%s is too large for %s", x, t)
	}
	r.Next()
	return r.intConst(t, x)
}

// elements reads the elements of an aggregate or vector in brackets.
func (r *reader) elements(t *Type, open, shut byte) *Const {
	r.Expect(open)
	n := int64(len(t.Fields))
	if t.Kind != StructType {
		n = t.Len
	}
	elems := make([]*Const, 0, min(n, 1<<16))
	for !r.Is(shut) {
		e := r.typedConst()
		want := t.Elem
		if t.Kind == StructType && len(elems) < len(t.Fields) {
			want = t.Fields[len(elems)]
		}
		if want != nil && e.Type != want {
			r.Fail("an element of type %s in a constant of type %s", e.Type, t)
		}
		elems = append(elems, e)
		if !r.Accept(',') {
			break
		}
	}
	r.Expect(shut)
	return r.aggregate(t, elems)
}

// splatConst reads a vector whose elements are all equal, in the syntax of LLVM 20 and later.
func (r *reader) splatConst(t *Type) *Const {
	if t.Kind != VectorType {
		r.Fail("splat of type %s", t)
	}
	r.Next()
	r.Expect('(')
	e := r.typedConst()
	if e.Type != t.Elem {
		r.Fail("an element of type %s in a constant of type %s", e.Type, t)
	}
	r.Expect(')')
	elems := make([]*Const, t.Len)
	for i := range elems {
		elems[i] = e
	}
	return r.aggregate(t, elems)
}

// wordConst reads a constant that begins with a keyword.
func (r *reader) wordConst(t *Type) *Const {
	if r.Kind == lexer.Word && t.Kind == FloatType && bytes.HasPrefix(r.Word(), []byte("f0x")) {
		return r.ownBits(t)
	}
	switch string(r.Word()) {
	case "null":
		if t.Kind != PointerType {
			r.Fail("null of type %s", t)
		}
		r.Next()
		return &Const{Kind: ConstNull, Type: t}
	case "true", "false":
		if t.Kind != IntType || t.Bits != 1 {
			r.Fail("%q of type %s", r.Word(), t)
		}
		c := r.intConst(t, boolInt(r.IsWord("true")))
		r.Next()
		return c
	case "undef", "poison":
		r.Next()
		return r.undef(t)
	case "zeroinitializer":
		r.Next()
		return r.zero(t)
	case "splat":
		return r.splatConst(t)
	case "none":
		r.Next()
		return r.undef(r.opaqueType("token", 0))
	case "blockaddress":
		r.Next()
		r.Expect('(')
		if r.Kind != lexer.Global {
			r.Fail("%q stands where a function belongs", r.Shown())
		}
		function := string(r.Name())
		r.Next()
		r.Expect(',')
		if r.Kind != lexer.Local {
			r.Fail("%q stands where a label belongs", r.Shown())
		}
		label := string(r.Name())
		r.Next()
		r.Expect(')')
		return r.labelAddress(t, function, label)
	case "dso_local_equivalent", "no_cfi":
		r.Next()
		if r.Kind != lexer.Global {
			r.Fail("%q stands where a function belongs", r.Shown())
		}
		return r.constantOf(t)
	}
	return r.expression(t)
}

// Conversions, binary operations and predicates by their keywords.
var (
	conversions = map[string]Op{
		"trunc": OpTrunc, "zext": OpZExt, "sext": OpSExt, "fptrunc": OpFPTrunc, "fpext": OpFPExt, "fptoui": OpFPToUI,
		"fptosi": OpFPToSI,
		"uitofp": OpUIToFP, "sitofp": OpSIToFP, "ptrtoint": OpPtrToInt, "inttoptr": OpIntToPtr, "bitcast": OpBitCast,
		"addrspacecast": OpBitCast,
		"ptrtoaddr":     OpPtrToInt, // of LLVM 24: the same number; only optimizations tell them apart
	}
	binaries = map[string]Op{
		"add": OpAdd, "sub": OpSub, "mul": OpMul, "udiv": OpUDiv, "sdiv": OpSDiv, "urem": OpURem, "srem": OpSRem,
		"shl": OpShl, "lshr": OpLShr, "ashr": OpAShr, "and": OpAnd, "or": OpOr, "xor": OpXor,
		"fadd": OpFAdd, "fsub": OpFSub, "fmul": OpFMul, "fdiv": OpFDiv, "frem": OpFRem,
	}
	intPreds = map[string]Pred{
		"eq": PredEQ, "ne": PredNE, "ugt": PredUGT, "uge": PredUGE, "ult": PredULT, "ule": PredULE,
		"sgt": PredSGT, "sge": PredSGE, "slt": PredSLT, "sle": PredSLE,
	}
	floatPreds = map[string]Pred{
		"false": PredFalse, "true": PredTrue, "ord": PredORD, "uno": PredUNO,
		"oeq": PredOEQ, "ogt": PredOGT, "oge": PredOGE, "olt": PredOLT, "ole": PredOLE, "one": PredONE,
		"ueq": PredUEQ, "ugt": PredFUGT, "uge": PredFUGE, "ult": PredFULT, "ule": PredFULE, "une": PredUNE,
	}
)

// opFlags are the flags of an operation that mean something here. The others are promises, which are ignored.
type opFlags struct {
	noSignedWrap bool
	relaxed      bool // arithmetic of floats need not be exact
}

// flags reads the flags of an operation.
func (r *reader) flags(op Op) (out opFlags) {
	for r.Kind == lexer.Word {
		switch word := string(r.Word()); word {
		case "nuw", "nsw":
			if op != OpAdd && op != OpSub && op != OpMul && op != OpShl && op != OpTrunc {
				return
			}
			out.noSignedWrap = out.noSignedWrap || word == "nsw"
		case "nneg":
			if op != OpZExt && op != OpUIToFP {
				return
			}
		case "disjoint":
			if op != OpOr {
				return
			}
		case "samesign":
			if op != OpICmp {
				return
			}
		case "exact":
			if op != OpUDiv && op != OpSDiv && op != OpLShr && op != OpAShr {
				return
			}
		case "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast":
			switch op {
			case OpFAdd, OpFSub, OpFMul, OpFDiv, OpFRem, OpFNeg, OpFCmp, OpFPTrunc, OpFPExt,
				OpUIToFP, OpSIToFP, // from LLVM 23 on
				OpSelect, OpPhi, OpCall:
				out.relaxed = true
			default:
				return
			}
		default:
			return
		}
		r.Next()
	}
	return
}

// addressFlags reads the flags of an address computation.
func (r *reader) addressFlags(in *Instr) {
	for {
		switch {
		case r.AcceptWord("inbounds"):
			in.Inbounds = true
		case r.AcceptWord("nusw"), r.AcceptWord("nuw"):
		case r.AcceptWord("inrange"): // inrange(-8, 16): the range accessed through the address
			if !r.Is('(') {
				r.Fail("%q stands where a range belongs", r.Shown())
			}
			r.SkipGroup()
		default:
			return
		}
	}
}

// predicate reads the predicate of a comparison.
func (r *reader) predicate(op Op) Pred {
	preds := intPreds
	if op == OpFCmp {
		preds = floatPreds
	}
	p, ok := preds[string(r.Word())]
	if !ok {
		r.Fail("%q is no predicate", r.Shown())
	}
	r.Next()
	return p
}

// expression reads a constant expression of type t and folds it as far as possible.
func (r *reader) expression(t *Type) *Const {
	in := &Instr{Type: t, Dst: -1}
	word := string(r.Word())
	at := r.Start
	r.Next()
	args := func(n int) {
		r.flags(in.Op)
		r.Expect('(')
		for i := range n {
			if i > 0 {
				r.Expect(',')
			}
			in.Args = append(in.Args, r.constOperand())
		}
	}
	if op, ok := conversions[word]; ok {
		in.Op = op
		args(1)
		r.ExpectWord("to")
		in.Type = r.typ()
		r.Expect(')')
		return r.fold(in)
	}
	if op, ok := binaries[word]; ok {
		in.Op = op
		args(2)
	} else {
		switch word {
		case "getelementptr":
			return r.gepExpression(in)
		case "fneg":
			in.Op = OpFNeg
			args(1)
		case "icmp", "fcmp":
			in.Op = OpICmp
			if word == "fcmp" {
				in.Op = OpFCmp
			}
			in.Pred = r.predicate(in.Op)
			args(2)
		case "select":
			in.Op = OpSelect
			args(3)
		case "extractvalue", "insertvalue":
			in.Op = OpExtractValue
			n := 1
			if word == "insertvalue" {
				in.Op, n = OpInsertValue, 2
			}
			args(n)
			in.Path = r.path()
		case "extractelement":
			in.Op = OpExtractElement
			args(2)
		case "insertelement":
			in.Op = OpInsertElement
			args(3)
		case "shufflevector":
			in.Op = OpShuffleVector
			args(2)
			r.Expect(',')
			in.Mask = r.shuffleMask(r.typedConst())
		default:
			r.Start = at
			r.Fail("constant %q is not known here", word)
		}
	}
	r.Expect(')')
	in.Type = r.resultType(in)
	return r.fold(in)
}

// path reads the constant indices of extractvalue and insertvalue.
func (r *reader) path() []int {
	var out []int
	for r.Comma() {
		out = append(out, int(r.Uint(1<<31)))
	}
	return out
}

// gepExpression reads an address computation on constants.
func (r *reader) gepExpression(in *Instr) *Const {
	r.addressFlags(in)
	r.Expect('(')
	elem := r.typ()
	r.Expect(',')
	base := r.constOperand()
	var indices []Operand
	for r.Accept(',') {
		r.AcceptWord("inrange")
		indices = append(indices, r.constOperand())
	}
	r.Expect(')')
	r.gep(in, elem, base, indices)
	return r.fold(in)
}
