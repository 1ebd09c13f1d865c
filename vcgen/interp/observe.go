package interp

import (
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Observer is told what an execution does while it does it: the one stream of events that
// the slice of a counterexample and a recording for stepping back are made from. Calls come in the
// order of the execution; everything between two calls of Executing belongs to the first.
// Ranges are in bytes from the start of the object and were checked to lie in it.
type Observer interface {
	// Executing: the youngest frame is about to execute in. Registers and memory are as before.
	Executing(fr *state.Frame, in *llvmir.Instr)
	// Entered: control went from block from to block to of fr; its phis have their values.
	Entered(fr *state.Frame, from, to int)
	// Pushed: fr is the youngest frame now. Popped: fr was left; the frame below has not got the result yet.
	Pushed(fr *state.Frame)
	Popped(fr *state.Frame)
	// Reading and writing: n bytes of o are about to be read or overwritten.
	Reading(o *state.Object, off, n uint64)
	Writing(o *state.Object, off, n uint64)
	// Copying: n bytes are about to be copied with their shadow; the ranges may overlap.
	Copying(dst *state.Object, to uint64, src *state.Object, from, n uint64)
	// Chosen: r is an arbitrary value, or content, that was chosen here; content of the bytes
	// [lo, lo+r.Size) of o, which were announced by Writing.
	Chosen(r *state.Input, o *state.Object, lo uint64)
	// Made: o exists from now on, without content. Ended: its life is about to end.
	Made(o *state.Object)
	Ended(o *state.Object)
	// Marked: a bit of the shadow of o that belongs to no byte changes (written) or matters
	// for what is executed.
	Marked(o *state.Object, what ShadowBit, written bool)
	// Assumed: the present instruction is an assumption, which holds.
	Assumed()
	// Concerns: the violation that is found next, if any, is about the end of the life of o.
	Concerns(o *state.Object)
}

// Unobserved is an Observer that takes no notice. Observers embed it that want to know of some things only.
type Unobserved struct{}

// Executing and what follows implement Observer.
func (Unobserved) Executing(*state.Frame, *llvmir.Instr)                        {}
func (Unobserved) Entered(*state.Frame, int, int)                               {}
func (Unobserved) Pushed(*state.Frame)                                          {}
func (Unobserved) Popped(*state.Frame)                                          {}
func (Unobserved) Reading(*state.Object, uint64, uint64)                        {}
func (Unobserved) Writing(*state.Object, uint64, uint64)                        {}
func (Unobserved) Copying(*state.Object, uint64, *state.Object, uint64, uint64) {}
func (Unobserved) Chosen(*state.Input, *state.Object, uint64)                   {}
func (Unobserved) Made(*state.Object)                                           {}
func (Unobserved) Ended(*state.Object)                                          {}
func (Unobserved) Marked(*state.Object, ShadowBit, bool)                        {}
func (Unobserved) Assumed()                                                     {}
func (Unobserved) Concerns(*state.Object)                                       {}

// CheckObserver is an observer that wants to be told which access is being checked, before the check may fail; o is nil
// when the access is to no object, and off the address then.
type CheckObserver interface {
	Checking(o *state.Object, off, n uint64, write bool)
}

// ShadowBit names what is remembered of an object as a whole. The values are offsets that
// no byte of an object has.
type ShadowBit uint64

const (
	BitLive     ShadowBit = 1<<63 + iota // whether it is alive
	BitModified                          // whether it was written since the last reset
)

// copyBytes is the function of the same name, observed.
func (m *Machine) copyBytes(dst *state.Object, to uint64, src *state.Object, from, n uint64) {
	if m.obs != nil && n > 0 {
		m.obs.Copying(dst, to, src, from, n)
	}
	state.CopyBytes(dst, to, src, from, n)
}

// concerning tells the observer what the check that fails next is about.
func (m *Machine) concerning(o *state.Object) {
	if m.obs != nil {
		m.obs.Concerns(o)
	}
}

// mark tells the observer of a bit of the shadow.
func (m *Machine) mark(o *state.Object, what ShadowBit, written bool) {
	if m.obs != nil {
		m.obs.Marked(o, what, written)
	}
}
