package interp

import (
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Observer receives the events of an execution as they happen.
//
// The slice of a counterexample and a recording for stepping back are computed from this stream. Calls are in
// execution order; all events between two calls of Executing belong to the first. Ranges are in bytes from the start
// of the object and inside it.
type Observer interface {
	// Executing: the top frame is about to execute in. Registers and memory are as before.
	Executing(fr *state.Frame, in *llvmir.Instr)
	// Entered: control passed from block from to block to of fr; its phis have their values.
	Entered(fr *state.Frame, from, to int)
	// Pushed: fr is the top frame now. Popped: fr was left; the frame below has not received the result yet.
	Pushed(fr *state.Frame)
	Popped(fr *state.Frame)
	// Reading and Writing: n bytes of o are about to be read or overwritten.
	Reading(o *state.Object, off, n uint64)
	Writing(o *state.Object, off, n uint64)
	// Copying: n bytes are about to be copied with their shadow; the ranges may overlap.
	Copying(dst *state.Object, to uint64, src *state.Object, from, n uint64)
	// Chosen: r is an arbitrary value that was chosen here, or arbitrary content of the bytes [lo, lo+r.Size) of o,
	// which Writing has announced.
	Chosen(r *state.Input, o *state.Object, lo uint64)
	// Made: o exists from now on, without content. Ended: its lifetime is about to end.
	Made(o *state.Object)
	Ended(o *state.Object)
	// Marked: a shadow bit of o that belongs to no byte is changed (written) or read.
	Marked(o *state.Object, what ShadowBit, written bool)
	// Assumed: the current instruction is an assumption, which holds.
	Assumed()
	// Concerns: the next violation, if any, is about the end of the lifetime of o.
	Concerns(o *state.Object)
}

// Unobserved is an Observer that ignores all events. Observers of few events embed it.
type Unobserved struct{}

// Executing and the following methods implement Observer.
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

// CheckObserver is an Observer that also receives each access before it is checked.
//
// For an access to no object, o is nil and off the address.
type CheckObserver interface {
	Checking(o *state.Object, off, n uint64, write bool)
}

// ShadowBit is a shadow bit of an object as a whole. Its value is an offset that no byte of an object has.
type ShadowBit uint64

const (
	BitLive     ShadowBit = 1<<63 + iota // whether it is alive
	BitModified                          // whether it was written since the last reset
)

// copyBytes is state.CopyBytes with a notification of the observer.
func (m *Machine) copyBytes(dst *state.Object, to uint64, src *state.Object, from, n uint64) {
	if m.obs != nil && n > 0 {
		m.obs.Copying(dst, to, src, from, n)
	}
	state.CopyBytes(dst, to, src, from, n)
}

// concerning notifies the observer of the object of the next check.
func (m *Machine) concerning(o *state.Object) {
	if m.obs != nil {
		m.obs.Concerns(o)
	}
}

// mark notifies the observer of a shadow bit.
func (m *Machine) mark(o *state.Object, what ShadowBit, written bool) {
	if m.obs != nil {
		m.obs.Marked(o, what, written)
	}
}
