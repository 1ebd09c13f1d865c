package induction

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// The values of the engine's symbols at the begins and ends of the activations of recursive functions.

// Pushed implements interp.Observer: an activation begins.
func (a *arrivals) Pushed(fr *state.Frame) {
	for _, i := range a.begins[fr.Fn] {
		h, outer := a.in.heads[i], a.outermost(fr)
		if !a.sameCalls(h.Site, outer+1) {
			continue
		}
		a.active[fr] = map[int]state.Value{}
		a.arriveAt(i, fr, a.run.Frames[outer] == fr)
	}
}

// outermost returns the index of the first open call of the function of a frame.
func (a *arrivals) outermost(fr *state.Frame) int {
	for k, x := range a.run.Frames {
		if x.Fn == fr.Fn {
			return k
		}
	}
	return len(a.run.Frames) - 1
}

// Executing implements interp.Observer: an activation is about to end.
func (a *arrivals) Executing(fr *state.Frame, in *llvmir.Instr) {
	if in.Op != llvmir.OpRet || a.active[fr] == nil {
		return
	}
	for _, i := range a.begins[fr.Fn] {
		outer := a.outermost(fr)
		if !a.sameCalls(a.in.heads[i].Site, outer+1) {
			continue
		}
		a.flush(0)
		a.activate(i, fr, a.run.Frames[outer] == fr)
		a.end(i+1, fr, in)
		for k := len(a.run.Frames) - 2; k >= outer; k-- { // the activation that goes on
			if below := a.run.Frames[k]; below.Fn == fr.Fn {
				a.activate(i, below, k == outer)
				break
			}
		}
	}
	delete(a.active, fr)
}

// activate sets the symbols of the begin of an activation to the values that they had there.
func (a *arrivals) activate(i int, fr *state.Frame, first bool) {
	h := a.in.heads[i]
	a.set(i+1, h.First, b2u(first))
	for k, p := range h.Places {
		if p.Sym != 0 {
			v, ok := a.active[fr][k]
			a.setPlace(i, k, v, ok)
		}
	}
	for _, d := range h.Contents { // the content at the begin is not kept
		delete(a.bytes, d.Func)
	}
}

// end takes in the state at the end of an activation, and visits it.
func (a *arrivals) end(i int, fr *state.Frame, ret *llvmir.Instr) {
	h := a.in.heads[i]
	for k, p := range h.Places {
		if p.Sym == 0 {
			continue
		}
		v, ok := state.Value{}, false
		if _, inMemory := h.Cell(k); inMemory {
			v, ok = a.valueOf(h, k, fr)
		} else if len(ret.Args) > 0 && ret.Args[0].Kind == llvmir.OperandReg {
			v = fr.Regs[ret.Args[0].Reg]
			ok = v.X == nil
		}
		switch delete(a.known, p.Sym); {
		case !ok:
		case h.MayBeNull && k == 1:
			a.set(i+1, p.Sym, b2u(v.Bits == 0))
		case h.From > 0 && k == 0:
			if from, known := a.reference(h, fr); known && v.Obj != nil && v.Obj == from.Obj {
				a.set(i+1, p.Sym, v.Bits-from.Bits)
			}
		case !p.Pointer:
			a.set(i+1, p.Sym, v.Bits)
		}
	}
	if a.counts(i) && a.defect.None() {
		a.visit(a, i)
	}
}

// reference returns the pointer from which the result of an activation is measured.
func (a *arrivals) reference(end *unfold.Head, fr *state.Frame) (state.Value, bool) {
	begin, reg := end.Begin, end.From-1
	for k, p := range begin.Places {
		if begin.Register(k) != reg {
			continue
		}
		was, ok := a.entered[slices.Index(a.in.heads, begin)][k]
		if p.Start && was.Obj != nil {
			was.Bits = was.Obj.Base
		}
		return was, ok
	}
	return fr.Regs[reg], true
}
