package mutate

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Probe inserts an assertion that a mutation makes no difference at its place, into a module that was read again.
//
// The assertion compares the result of the instruction with that of the mutated one, or the assigned value with the
// old one. An execution that violates it distinguishes the two programs at this place. If there is none, no execution
// of the proof does. For branches, calls and constants used directly the assertion is always false, because their
// mutation makes a difference whenever they are executed.
func (mu *Mutation) Probe(m *llvmir.Module) error {
	f, b, k := find(m, mu.id)
	if f == nil {
		return fmt.Errorf("the module has no instruction %d", mu.id)
	}
	in := b.Instrs[k]
	p := &probe{f: f, at: in, next: nextID(m)}
	bit := boolType(m)
	if bit == nil {
		return fmt.Errorf("the module has no truth values")
	}
	same := llvmir.Operand{Kind: llvmir.OperandConst, Type: bit, Const: &llvmir.Const{Kind: llvmir.ConstInt, Type: bit,
		Int: zero}}
	switch {
	case mu.Kind == Assignment && in.Args[0].Type.Kind == llvmir.IntType:
		old := p.add(llvmir.Instr{Op: llvmir.OpLoad, Type: in.Args[0].Type, Args: []llvmir.Operand{in.Args[1]},
			Align: in.Align})
		same = p.equal(bit, old, in.Args[0])
	case mu.Kind == Operator && plain[in.Intrinsic] != llvmir.OpInvalid:
		of := func(name string) llvmir.Operand {
			return p.add(llvmir.Instr{Op: plain[name], Type: in.Args[0].Type, Args: slices.Clone(in.Args[:2])})
		}
		same = p.equal(bit, of(in.Intrinsic), of(mu.name))
	case in.Op == llvmir.OpICmp || in.Intrinsic == "" && in.Type != nil && in.Type.Kind == llvmir.IntType &&
		(mu.Kind == Operator || mu.Kind == Constant) && in.Op != llvmir.OpCall:
		other := *mu.changed(in)
		before := p.add(*in)
		same = p.equal(bit, before, p.add(other))
	}
	assert := assertion(m, bit)
	p.instrs = append(p.instrs, &llvmir.Instr{ID: p.take(), Op: llvmir.OpCall, Ordinal: -1, Dst: -1, Loc: in.Loc,
		Type: assert.Ret, FuncType: assert.Type, Args: []llvmir.Operand{same},
		Callee: llvmir.Operand{Kind: llvmir.OperandConst, Const: &llvmir.Const{Kind: llvmir.ConstFunc, Func: assert}}})
	b.Instrs = slices.Insert(slices.Clone(b.Instrs), k, p.instrs...)
	return nil
}

// probe is the code inserted before an instruction.
type probe struct {
	f      *llvmir.Func
	at     *llvmir.Instr
	next   int
	instrs []*llvmir.Instr
}

func (p *probe) take() int {
	p.next++
	return p.next - 1
}

// add inserts an instruction and returns its result, a new register.
func (p *probe) add(in llvmir.Instr) llvmir.Operand {
	in.ID, in.Ordinal, in.Dst, in.Loc, in.NoSanitize = p.take(), -1, p.f.NumRegs, p.at.Loc, true
	p.f.NumRegs++
	p.f.RegNames = append(slices.Clone(p.f.RegNames), fmt.Sprintf("probe%d", in.Dst))
	p.instrs = append(p.instrs, &in)
	return llvmir.Operand{Kind: llvmir.OperandReg, Reg: in.Dst, Type: in.Type}
}

func (p *probe) equal(bit *llvmir.Type, a, b llvmir.Operand) llvmir.Operand {
	return p.add(llvmir.Instr{Op: llvmir.OpICmp, Pred: llvmir.PredEQ, Type: bit, Args: []llvmir.Operand{a, b}})
}

var zero = new(big.Int)

// plain has the operations of overflow intrinsics.
var plain = map[string]llvmir.Op{"sadd.with.overflow": llvmir.OpAdd, "ssub.with.overflow": llvmir.OpSub,
	"smul.with.overflow": llvmir.OpMul}

// boolType returns the type of truth values; nil if the module has none. Types are canonical per module.
func boolType(m *llvmir.Module) *llvmir.Type {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == llvmir.OpICmp && in.Type.Kind == llvmir.IntType && in.Type.Bits == 1 {
					return in.Type
				}
				if in.Op == llvmir.OpCondBr {
					return in.Args[0].Type
				}
			}
		}
	}
	return nil
}

// assertion returns the function that probes call. It declares the function if the program does not.
func assertion(m *llvmir.Module, bit *llvmir.Type) *llvmir.Func {
	const name = "__VERIFIER_assert"
	if f := m.FuncByName[name]; f != nil && len(f.Blocks) == 0 && len(f.Params) == 1 {
		return f
	}
	f := &llvmir.Func{Name: name, SourceName: name, Ret: m.Void, External: true,
		Type:   &llvmir.Type{Kind: llvmir.FuncType, Ret: m.Void, Params: []*llvmir.Type{bit}},
		Params: []llvmir.Param{{Type: bit}}}
	m.Funcs = append(m.Funcs, f)
	if m.FuncByName[name] == nil {
		m.FuncByName[name] = f
	}
	return f
}

// nextID returns an unused instruction number.
func nextID(m *llvmir.Module) int {
	next := 1
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				next = max(next, in.ID+1)
			}
		}
	}
	return next
}
