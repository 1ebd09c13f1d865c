// Package mutate makes small changes to a program to test whether a proof detects them.
//
// This is mutation testing (DeMillo, Lipton and Sayward, "Hints on test data selection", 1978). For the line
//
//	if (i < n + 1) a[i] = 0;
//
// it can change < to <=, 1 to 2, + to -, omit the assignment, or invert the branch; it can also omit calls. Mutations
// are applied to the linked module, so that nothing is compiled again, and only to instructions that are visible in
// the source.
//
// Principal types and functions: List returns the possible Mutations, Apply applies one to a module that was read
// again, Probe makes a program assert that a mutation makes no difference. The package is independent of proofs,
// verdicts and solvers.
package mutate

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Kind is a kind of mutation.
type Kind string

// Kinds of mutations. From and To of a Mutation are operators, numbers, or names.
const (
	Comparison Kind = "comparison" // From < To <=
	Constant   Kind = "constant"   // From 4 To 5
	Operator   Kind = "operator"   // From + To -
	Assignment Kind = "assignment" // omitted
	Call       Kind = "call"       // of From, omitted
	Branch     Kind = "branch"     // inverted
)

// Mutation is a change of one instruction.
type Mutation struct {
	Kind     Kind
	From, To string
	File     string
	Line     int
	Column   int
	Function string // its name in the source

	id      int // of the instruction
	operand int // Constant: index of the operand
	delta   int64
	pred    llvmir.Pred
	op      llvmir.Op
	name    string // Operator: name of the intrinsic
}

// Options select the code that may be changed.
type Options struct {
	// Code reports whether instructions of a function, at a position, are code under proof.
	Code func(f *llvmir.Func, at *llvmir.Loc) bool
}

// comparisons has the operators of C by predicate, with their replacements.
var comparisons = map[llvmir.Pred]struct {
	c    string
	into []llvmir.Pred
}{
	llvmir.PredEQ:  {"==", []llvmir.Pred{llvmir.PredNE}},
	llvmir.PredNE:  {"!=", []llvmir.Pred{llvmir.PredEQ}},
	llvmir.PredUGT: {">", []llvmir.Pred{llvmir.PredUGE}},
	llvmir.PredUGE: {">=", []llvmir.Pred{llvmir.PredUGT}},
	llvmir.PredULT: {"<", []llvmir.Pred{llvmir.PredULE}},
	llvmir.PredULE: {"<=", []llvmir.Pred{llvmir.PredULT}},
	llvmir.PredSGT: {">", []llvmir.Pred{llvmir.PredSGE}},
	llvmir.PredSGE: {">=", []llvmir.Pred{llvmir.PredSGT}},
	llvmir.PredSLT: {"<", []llvmir.Pred{llvmir.PredSLE}},
	llvmir.PredSLE: {"<=", []llvmir.Pred{llvmir.PredSLT}},
}

// operators has the operators of C by operation, with their replacements. Signed ones are calls if overflow is
// checked.
var operators = map[llvmir.Op]struct {
	c, to string
	into  llvmir.Op
}{
	llvmir.OpAdd: {"+", "-", llvmir.OpSub}, llvmir.OpSub: {"-", "+", llvmir.OpAdd}, llvmir.OpMul: {"*", "+", llvmir.OpAdd},
	llvmir.OpUDiv: {"/", "*", llvmir.OpMul}, llvmir.OpSDiv: {"/", "*", llvmir.OpMul},
	llvmir.OpURem: {"%", "/", llvmir.OpUDiv}, llvmir.OpSRem: {"%", "/", llvmir.OpSDiv},
	llvmir.OpAnd: {"&", "|", llvmir.OpOr}, llvmir.OpOr: {"|", "&", llvmir.OpAnd}, llvmir.OpXor: {"^", "&", llvmir.OpAnd},
	llvmir.OpShl: {"<<", ">>", llvmir.OpLShr}, llvmir.OpLShr: {">>", "<<", llvmir.OpShl},
	llvmir.OpAShr: {">>", "<<", llvmir.OpShl},
}

var intrinsics = map[string]struct{ c, to, into string }{
	"sadd.with.overflow": {"+", "-", "ssub.with.overflow"}, "ssub.with.overflow": {"-", "+", "sadd.with.overflow"},
	"smul.with.overflow": {"*", "+", "sadd.with.overflow"},
}

// List returns the possible mutations, in the order of function names and positions.
func List(m *llvmir.Module, opts Options) []Mutation {
	var out []Mutation
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Loc == nil || in.Loc.Line <= 0 || in.NoSanitize && intrinsics[in.Intrinsic].c == "" ||
					!opts.Code(f, in.Loc) {
					continue
				}
				for _, mu := range changes(f, in) {
					mu.File, mu.Line, mu.Column, mu.Function = in.Loc.File, in.Loc.Line, in.Loc.Col, f.SourceName
					mu.id = in.ID
					out = append(out, mu)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Mutation) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return out
}

func changes(f *llvmir.Func, in *llvmir.Instr) (out []Mutation) {
	constants := func(operands ...int) {
		for _, i := range operands {
			if v, ok := number(in.Args[i]); ok {
				for _, delta := range []int64{1, -1} {
					to := new(big.Int).Add(v, big.NewInt(delta))
					out = append(out, Mutation{Kind: Constant, From: v.String(), To: to.String(), operand: i, delta: delta})
				}
			}
		}
	}
	switch in.Op {
	case llvmir.OpICmp:
		known, ok := comparisons[in.Pred]
		if !ok || truth(f, in) {
			return nil // if (x) is a branch, not a comparison with zero
		}
		for _, p := range known.into {
			out = append(out, Mutation{Kind: Comparison, From: known.c, To: comparisons[p].c, pred: p})
		}
		constants(0, 1)
	case llvmir.OpCondBr:
		if in.Args[0].Kind != llvmir.OperandConst && !slices.ContainsFunc(in.Succs, func(to int) bool {
			return failure(f.Blocks[to])
		}) {
			out = append(out, Mutation{Kind: Branch})
		}
	case llvmir.OpStore:
		switch target := registerName(f, in.Args[1]); {
		case strings.HasPrefix(target, "cleanup.dest"): // the kind of a jump out of a block
			return nil
		case target != "retval": // otherwise it is a return
			out = append(out, Mutation{Kind: Assignment})
		}
		constants(0)
	case llvmir.OpRet:
		if len(in.Args) == 1 {
			constants(0)
		}
	case llvmir.OpCall:
		if known, ok := intrinsics[in.Intrinsic]; ok {
			out = append(out, Mutation{Kind: Operator, From: known.c, To: known.to, name: known.into})
			constants(1)
			return out
		}
		called := in.Function()
		if in.Intrinsic != "" || called == nil || used(f, in.Dst) || in.NoReturn || called.NoReturn || proofName(called) {
			return nil
		}
		out = append(out, Mutation{Kind: Call, From: called.SourceName})
	default:
		if known, ok := operators[in.Op]; ok && in.Type.Kind == llvmir.IntType {
			out = append(out, Mutation{Kind: Operator, From: known.c, To: known.to, op: known.into})
			constants(1)
		}
	}
	return out
}

// number returns the signed value of an integer constant.
func number(o llvmir.Operand) (*big.Int, bool) {
	if o.Kind != llvmir.OperandConst || o.Const == nil || o.Const.Kind != llvmir.ConstInt || o.Type == nil ||
		o.Type.Kind != llvmir.IntType || o.Type.Bits == 1 {
		return nil, false
	}
	v := o.Const.Int
	if v.Bit(o.Type.Bits-1) == 1 {
		v = new(big.Int).Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(o.Type.Bits)))
	}
	return v, true
}

// truth reports whether a comparison is the implicit conversion of a number or pointer to a truth value.
func truth(f *llvmir.Func, in *llvmir.Instr) bool {
	return in.Pred == llvmir.PredNE && in.Args[1].Kind == llvmir.OperandConst &&
		strings.HasPrefix(registerName(f, llvmir.Operand{Kind: llvmir.OperandReg, Reg: in.Dst}), "tobool")
}

// failure reports whether a block reports a failed check.
func failure(b *llvmir.Block) bool {
	return slices.ContainsFunc(b.Instrs, func(in *llvmir.Instr) bool {
		return in.NoSanitize && in.Op == llvmir.OpUnreachable || in.External() != nil &&
			language.Function(in.External().Name, in.External().Arity()).Role ==
				language.AssertFailure
	})
}

// registerName returns clang's name of a register; "" for other operands.
func registerName(f *llvmir.Func, o llvmir.Operand) string {
	if o.Kind != llvmir.OperandReg || o.Reg < 0 || o.Reg >= len(f.RegNames) {
		return ""
	}
	return f.RegNames[o.Reg]
}

// used reports whether an instruction reads a register.
func used(f *llvmir.Func, reg int) bool {
	if reg < 0 {
		return false
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpDbgValue || in.Op == llvmir.OpDbgDeclare {
				continue
			}
			if slices.ContainsFunc(in.Args, func(a llvmir.Operand) bool {
				return a.Kind == llvmir.OperandReg &&
					a.Reg == reg
			}) ||
				in.Callee.Kind == llvmir.OperandReg && in.Op == llvmir.OpCall && in.Callee.Reg == reg {
				return true
			}
		}
	}
	return false
}

// proofName reports whether a function is a primitive of the proof language, or has a reserved name.
func proofName(f *llvmir.Func) bool {
	switch language.Function(f.Name, f.Arity()).Role {
	case language.Assume, language.Assert, language.AssertFailure, language.Error, language.Nondet:
		return true
	}
	return strings.HasPrefix(f.Name, "__")
}

// Apply changes a module that was read from the same text as that of List.
func (mu *Mutation) Apply(m *llvmir.Module) error {
	f, b, k := find(m, mu.id)
	if f == nil {
		return fmt.Errorf("the module has no instruction %d", mu.id)
	}
	in := b.Instrs[k]
	switch mu.Kind {
	case Assignment, Call:
		b.Instrs = slices.Delete(slices.Clone(b.Instrs), k, k+1)
		return nil
	case Branch:
		in.Succs[0], in.Succs[1] = in.Succs[1], in.Succs[0]
		return nil
	}
	changed := mu.changed(in)
	*in = *changed
	return nil
}

// changed returns a mutated copy of an instruction with a result.
func (mu *Mutation) changed(in *llvmir.Instr) *llvmir.Instr {
	out := *in
	switch mu.Kind {
	case Comparison:
		out.Pred = mu.pred
	case Operator:
		if out.Intrinsic != "" {
			out.Intrinsic = mu.name
		} else {
			out.Op = mu.op
		}
	case Constant:
		out.Args = slices.Clone(in.Args)
		a := out.Args[mu.operand]
		k := *a.Const
		mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(a.Type.Bits)), big.NewInt(1))
		k.Int = new(big.Int).And(new(big.Int).Add(k.Int, big.NewInt(mu.delta)), mask)
		a.Const = &k
		out.Args[mu.operand] = a
	}
	return &out
}

func find(m *llvmir.Module, id int) (*llvmir.Func, *llvmir.Block, int) {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for k, in := range b.Instrs {
				if in.ID == id {
					return f, b, k
				}
			}
		}
	}
	return nil, nil, 0
}
