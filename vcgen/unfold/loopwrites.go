package unfold

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// loopWrites is the set of places that a loop can write: variables in registers, whole objects, or everything.
type loopWrites struct {
	locals     map[int]bool
	objects    map[int]bool
	everything bool
}

// written returns the write set of the innermost loop around a block, given that the current state is the state at the
// loop head. It follows addresses of variables, and pointers in variables that the loop does not change: such a
// pointer stays in its object. Any other address may point anywhere.
func (fr *frame) written(block int, p *path) *loopWrites {
	w := &loopWrites{locals: map[int]bool{}, objects: map[int]bool{}}
	loops := fr.fn.Nodes[block].Loops
	if len(loops) == 0 {
		w.everything = true
		return w
	}
	inner := loops[len(loops)-1]
	var blocks []*llvmir.Block
	begun := map[int]bool{} // variables whose lifetime begins in the loop
	for b := range fr.fn.Nodes {
		for _, l := range fr.fn.Nodes[b].Loops {
			if l == inner {
				blocks = append(blocks, fr.fn.Blocks[b])
			}
		}
	}
	within := map[int]bool{} // stack objects that are created in the loop
	for _, b := range blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpAlloca {
				within[in.Dst] = true
			}
		}
	}
	def := map[int]*llvmir.Instr{}
	for _, b := range fr.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Dst >= 0 {
				def[in.Dst] = in
			}
		}
	}
	stored := map[int]bool{} // variables in registers that the loop writes
	for _, b := range blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpCall && in.Intrinsic == "lifetime.start" && in.Args[1].Kind == llvmir.OperandReg {
				if reg, ok := fr.fn.Origin[in.Args[1].Reg]; ok {
					begun[reg] = true
				}
			}
			if in.Op == llvmir.OpStore && in.Args[1].Kind == llvmir.OperandReg && fr.fn.Promoted[in.Args[1].Reg] {
				stored[in.Args[1].Reg] = true
			}
		}
	}
	var target func(by *llvmir.Instr, a llvmir.Operand, depth int)
	target = func(by *llvmir.Instr, a llvmir.Operand, depth int) {
		if a.Kind == llvmir.OperandConst && a.Const != nil {
			if t := fr.operand(by, a, p); t.t != 0 {
				if ids := fr.r.mem.ObjectsIn(t.t); len(ids) > 0 {
					for _, id := range ids {
						w.objects[id] = true
					}
					return
				}
			}
			w.everything = true
			return
		}
		if a.Kind != llvmir.OperandReg || depth > 100 {
			w.everything = true
			return
		}
		in := def[a.Reg]
		switch {
		case in == nil: // a parameter, which is the same in each iteration
			fr.reaches(w, a.Reg)
		case in.Op == llvmir.OpAlloca:
			if !begun[a.Reg] && !within[a.Reg] {
				fr.reaches(w, a.Reg)
			}
		case in.Op == llvmir.OpGEP || in.Op == llvmir.OpBitCast:
			target(in, in.Args[0], depth+1)
		case in.Op == llvmir.OpLoad && in.Args[0].Kind == llvmir.OperandReg && fr.fn.Promoted[in.Args[0].Reg] &&
			!stored[in.Args[0].Reg] && !begun[in.Args[0].Reg]:
			fr.reaches(w, in.Args[0].Reg)
		default:
			w.everything = true
		}
	}
	for _, b := range blocks {
		for _, in := range b.Instrs {
			switch in.Op {
			case llvmir.OpStore:
				if a := in.Args[1]; a.Kind == llvmir.OperandReg && fr.fn.Promoted[a.Reg] {
					if !begun[a.Reg] {
						w.locals[a.Reg] = true
					}
					continue
				}
				target(in, in.Args[1], 0)
			case llvmir.OpCmpXchg, llvmir.OpAtomicRMW:
				target(in, in.Args[0], 0)
			case llvmir.OpInlineAsm, llvmir.OpVAArg, llvmir.OpUnsupported, llvmir.OpInvalid:
				w.everything = true
			case llvmir.OpCall:
				switch {
				case strings.HasPrefix(in.Intrinsic, "mem"): // memcpy, memmove, memset and their inline variants
					target(in, in.Args[0], 0)
				case in.Intrinsic == "va_start" || in.Intrinsic == "va_copy" || in.Intrinsic == "va_end":
					w.everything = true
				case in.Intrinsic != "":
				case !fr.r.writesNothing(in.Function(), 0):
					w.everything = true
				}
			}
		}
	}
	return w
}

// reaches adds the objects to which a register may point in the current state.
func (fr *frame) reaches(w *loopWrites, reg int) {
	v := fr.regs[reg]
	if v.t == 0 {
		w.everything = true
		return
	}
	for _, x := range fr.r.mem.Candidates(v.t, func(smt.Term) { w.everything = true }) {
		if x.Obj != mem.None {
			w.objects[x.Obj] = true
		}
	}
}

// ownResult reports whether a call only makes a variable of the calling function arbitrary. The code that replaces a
// call by its contract does so with the call's result, and with errno if no file uses it.
func (r *run) ownResult(f *llvmir.Func, in *llvmir.Instr) bool {
	role := func(f *llvmir.Func) language.Role {
		if f == nil || len(f.Blocks) > 0 {
			return language.None
		}
		return language.Function(f.Name, len(f.Params)).Role
	}
	if in.Intrinsic != "" || role(in.Function()) != language.Havoc || in.Args[0].Kind != llvmir.OperandReg {
		return false
	}
	reg := in.Args[0].Reg
	for range 2 { // a bitcast may be in between
		if r.function(f).Alloca[reg] != nil {
			return true
		}
		for _, b := range f.Blocks {
			for _, def := range b.Instrs {
				if def.Dst != reg {
					continue
				}
				switch {
				case def.Op == llvmir.OpCall && role(def.Function()) == language.ErrnoAt:
					_, used := r.errnoAt()
					return !used
				case def.Op == llvmir.OpBitCast && def.Args[0].Kind == llvmir.OperandReg:
					reg = def.Args[0].Reg
				default:
					return false
				}
			}
		}
	}
	return false
}

// writesNothing reports whether a call of f, or of any function if f is nil, leaves all memory unchanged that exists
// before the call.
func (r *run) writesNothing(f *llvmir.Func, depth int) bool {
	if f == nil || depth > 20 {
		return false
	}
	if len(f.Blocks) == 0 {
		e := language.Function(f.Name, len(f.Params))
		_, errno := r.errnoAt()
		return e.WritesNothing() && !(errno && e.MayChangeErrno()) || clangir.SanitizerCheck(f) != ""
	}
	fn := r.function(f)
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			switch in.Op {
			case llvmir.OpStore:
				if in.Args[1].Kind != llvmir.OperandReg || fn.Alloca[in.Args[1].Reg] == nil {
					return false
				}
			case llvmir.OpCmpXchg, llvmir.OpAtomicRMW, llvmir.OpInlineAsm, llvmir.OpVAArg, llvmir.OpUnsupported,
				llvmir.OpInvalid:
				return false
			case llvmir.OpCall:
				if r.ownResult(f, in) {
					continue
				}
				if in.Intrinsic != "" {
					if strings.HasPrefix(in.Intrinsic, "mem") || strings.HasPrefix(in.Intrinsic, "va_") {
						return false
					}
					continue
				}
				if !r.writesNothing(in.Function(), depth+1) {
					return false
				}
			}
		}
	}
	return true
}
