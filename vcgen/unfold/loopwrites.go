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

// writeSet computes the write set of a loop.
type writeSet struct {
	*loopWrites
	fr     *frame
	p      *path
	blocks []*llvmir.Block
	def    map[int]*llvmir.Instr // the definition of a register of the function
	begun  map[int]bool          // variables whose lifetime begins in the loop
	within map[int]bool          // stack objects that are created in the loop
	stored map[int]bool          // variables in registers that the loop writes
}

// written returns the write set of the innermost loop around a block, given that the current state is the state at the
// loop head. It follows addresses of variables, and pointers in variables that the loop does not change: such a
// pointer stays in its object. Any other address may point anywhere.
func (fr *frame) written(block int, p *path) *loopWrites {
	w := &writeSet{loopWrites: &loopWrites{locals: map[int]bool{}, objects: map[int]bool{}}, fr: fr, p: p,
		def: map[int]*llvmir.Instr{}, begun: map[int]bool{}, within: map[int]bool{}, stored: map[int]bool{}}
	loops := fr.fn.Nodes[block].Loops
	if len(loops) == 0 {
		w.everything = true
		return w.loopWrites
	}
	inner := loops[len(loops)-1]
	for b := range fr.fn.Nodes {
		for _, l := range fr.fn.Nodes[b].Loops {
			if l == inner {
				w.blocks = append(w.blocks, fr.fn.Blocks[b])
			}
		}
	}
	w.scan()
	for _, b := range w.blocks {
		for _, in := range b.Instrs {
			w.add(in)
		}
	}
	return w.loopWrites
}

// scan finds the definitions of the function, and the variables and objects of the loop.
func (w *writeSet) scan() {
	fn := w.fr.fn
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Dst >= 0 {
				w.def[in.Dst] = in
			}
		}
	}
	for _, b := range w.blocks {
		for _, in := range b.Instrs {
			switch {
			case in.Op == llvmir.OpAlloca:
				w.within[in.Dst] = true
			case in.Op == llvmir.OpCall && in.Intrinsic == "lifetime.start" && in.Args[1].Kind == llvmir.OperandReg:
				if reg, ok := fn.Origin[in.Args[1].Reg]; ok {
					w.begun[reg] = true
				}
			case in.Op == llvmir.OpStore && in.Args[1].Kind == llvmir.OperandReg && fn.Promoted[in.Args[1].Reg]:
				w.stored[in.Args[1].Reg] = true
			}
		}
	}
}

// maxAddress is the largest number of instructions from which an address is computed.
const maxAddress = 100

// target adds the objects to which an address, an operand of the instruction by, may point.
func (w *writeSet) target(by *llvmir.Instr, a llvmir.Operand, depth int) {
	if a.Kind == llvmir.OperandConst && a.Const != nil {
		if t := w.fr.operand(by, a, w.p); t.t != 0 {
			if ids := w.fr.r.mem.ObjectsIn(t.t); len(ids) > 0 {
				for _, id := range ids {
					w.objects[id] = true
				}
				return
			}
		}
		w.everything = true
		return
	}
	if a.Kind != llvmir.OperandReg || depth > maxAddress {
		w.everything = true
		return
	}
	in := w.def[a.Reg]
	switch {
	case in == nil: // a parameter, which is the same in each iteration
		w.fr.reaches(w.loopWrites, a.Reg)
	case in.Op == llvmir.OpAlloca:
		if !w.begun[a.Reg] && !w.within[a.Reg] {
			w.fr.reaches(w.loopWrites, a.Reg)
		}
	case in.Op == llvmir.OpGEP || in.Op == llvmir.OpBitCast:
		w.target(in, in.Args[0], depth+1)
	case in.Op == llvmir.OpLoad && in.Args[0].Kind == llvmir.OperandReg && w.fr.fn.Promoted[in.Args[0].Reg] &&
		!w.stored[in.Args[0].Reg] && !w.begun[in.Args[0].Reg]:
		w.fr.reaches(w.loopWrites, in.Args[0].Reg)
	default:
		w.everything = true
	}
}

// add adds the places that an instruction of the loop can write.
func (w *writeSet) add(in *llvmir.Instr) {
	switch in.Op {
	case llvmir.OpStore:
		if a := in.Args[1]; a.Kind == llvmir.OperandReg && w.fr.fn.Promoted[a.Reg] {
			if !w.begun[a.Reg] {
				w.locals[a.Reg] = true
			}
			return
		}
		w.target(in, in.Args[1], 0)
	case llvmir.OpCmpXchg, llvmir.OpAtomicRMW:
		w.target(in, in.Args[0], 0)
	case llvmir.OpInlineAsm, llvmir.OpUnsupported, llvmir.OpInvalid:
		w.everything = true
	case llvmir.OpCall:
		switch {
		case strings.HasPrefix(in.Intrinsic, "mem"): // memcpy, memmove, memset and their inline variants
			w.target(in, in.Args[0], 0)
		case in.Intrinsic == "va_start" || in.Intrinsic == "va_copy" || in.Intrinsic == "va_end":
			w.everything = true
		case in.Intrinsic != "":
		case !w.fr.r.writesNothing(in.Function(), 0):
			w.everything = true
		}
	}
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

// maxCallees is the largest depth of calls in which writes are looked for.
const maxCallees = 20

// writesNothing reports whether a call of f, or of any function if f is nil, leaves all memory unchanged that exists
// before the call.
func (r *run) writesNothing(f *llvmir.Func, depth int) bool {
	if f == nil || depth > maxCallees {
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
			case llvmir.OpCmpXchg, llvmir.OpAtomicRMW, llvmir.OpInlineAsm, llvmir.OpUnsupported,
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
