package smt

import "fmt"

// Term is a handle into the arena of one Context. The zero Term is invalid.
//
// The arguments of a term have smaller handles than the term, so ascending handles are a topological order.
type Term uint32

// Func is the handle of an uninterpreted function of one argument; the zero Func is invalid.
type Func uint32

// Op is the operator of a term.
type Op uint8

// The operators. All other operations (Sub, Neg, Implies, signed <=, ...) are expressed by these. The package comment
// lists the n-ary ones and the ones that never occur in a finished term.
const (
	OpInvalid Op = iota
	OpTrue
	OpFalse
	OpConst
	OpVar
	OpNot
	OpAnd
	OpOr
	OpEq
	OpIte
	OpUlt
	OpUle
	OpSlt
	OpSle
	OpAdd
	OpMul
	OpUdiv
	OpUrem
	OpSdiv
	OpSrem
	OpBvNot
	OpBvAnd
	OpBvOr
	OpBvXor
	OpShl
	OpLshr
	OpAshr
	OpConcat
	OpExtract
	OpZext
	OpSext
	OpApply
	OpFAdd
	OpFSub
	OpFMul
	OpFDiv
	OpFRem
	OpFSqrt
	OpFFma
	OpFMin
	OpFMax
	OpFEq
	OpFLt
	OpFLe
	OpFToS
	OpFToU
	OpSToF
	OpUToF
	OpFToF
	OpFRound
	numOps
)

var opNames = [numOps]string{
	OpInvalid: "invalid", OpTrue: "true", OpFalse: "false", OpConst: "const", OpVar: "var", OpNot: "not", OpAnd: "and",
	OpOr: "or",
	OpEq: "=", OpIte: "ite", OpUlt: "bvult", OpUle: "bvule", OpSlt: "bvslt", OpSle: "bvsle", OpAdd: "bvadd",
	OpMul:  "bvmul",
	OpUdiv: "bvudiv", OpUrem: "bvurem", OpSdiv: "bvsdiv", OpSrem: "bvsrem", OpBvNot: "bvnot", OpBvAnd: "bvand",
	OpBvOr:  "bvor",
	OpBvXor: "bvxor", OpShl: "bvshl", OpLshr: "bvlshr", OpAshr: "bvashr", OpConcat: "concat", OpExtract: "extract",
	OpZext: "zero_extend", OpSext: "sign_extend", OpApply: "apply", OpFAdd: "fadd", OpFSub: "fsub", OpFMul: "fmul",
	OpFDiv: "fdiv",
	OpFRem: "frem", OpFSqrt: "fsqrt", OpFFma: "ffma", OpFMin: "fmin", OpFMax: "fmax", OpFEq: "feq", OpFLt: "flt",
	OpFLe:  "fle",
	OpFToS: "ftos", OpFToU: "ftou", OpSToF: "stof", OpUToF: "utof", OpFToF: "ftof", OpFRound: "fround",
}

// String returns the name of the operator, in SMT-LIB if it exists there.
func (o Op) String() string {
	if o < numOps {
		return opNames[o]
	}
	return fmt.Sprintf("Op(%d)", uint8(o))
}

// RoundMode is the direction of FRound.
type RoundMode uint8

// The rounding directions of FRound, all to an integral value.
const (
	RoundFloor       RoundMode = iota // toward negative infinity
	RoundCeil                         // toward positive infinity
	RoundTrunc                        // toward zero
	RoundNearestEven                  // to nearest, ties to even
	RoundNearestAway                  // to nearest, ties away from zero
)

// String returns SMT-LIB's abbreviation of the mode.
func (m RoundMode) String() string {
	switch m {
	case RoundFloor:
		return "RTN"
	case RoundCeil:
		return "RTP"
	case RoundTrunc:
		return "RTZ"
	case RoundNearestEven:
		return "RNE"
	case RoundNearestAway:
		return "RNA"
	}
	return fmt.Sprintf("RoundMode(%d)", uint8(m))
}
