package interp

import "github.com/unitproof/unitproof/vcgen/llvmir"

// observer is told what an execution does while it does it: the one stream of events that
// the slice of a counterexample and a recording for stepping back are made from. Calls come in the
// order of the execution; everything between two calls of executing belongs to the first.
// Ranges are in bytes from the start of the object and were checked to lie in it.
type observer interface {
	// executing: the youngest frame is about to execute in. Registers and memory are as before.
	executing(fr *frame, in *llvmir.Instr)
	// entered: control went from block from to block to of fr; its phis have their values.
	entered(fr *frame, from, to int)
	// pushed: fr is the youngest frame now. popped: fr was left; the frame below has not got the result yet.
	pushed(fr *frame)
	popped(fr *frame)
	// reading and writing: n bytes of o are about to be read or overwritten.
	reading(o *object, off, n uint64)
	writing(o *object, off, n uint64)
	// copying: n bytes are about to be copied with their shadow; the ranges may overlap.
	copying(dst *object, to uint64, src *object, from, n uint64)
	// chosen: r is an arbitrary value, or content, that was chosen here; content of the bytes
	// [lo, lo+r.size) of o, which were announced by writing.
	chosen(r *record, o *object, lo uint64)
	// made: o exists from now on, without content. ended: its life is about to end.
	made(o *object)
	ended(o *object)
	// marked: a bit of the shadow of o that belongs to no byte changes (written) or matters
	// for what is executed.
	marked(o *object, what shadowBit, written bool)
}

// shadowBit names what is remembered of an object as a whole. The values are offsets that
// no byte of an object has.
type shadowBit uint64

const (
	bitLive     shadowBit = 1<<63 + iota // whether it is alive
	bitModified                          // whether it was written since the last reset
)

// copyBytes is the function of the same name, observed.
func (m *machine) copyBytes(dst *object, to uint64, src *object, from, n uint64) {
	if m.obs != nil && n > 0 {
		m.obs.copying(dst, to, src, from, n)
	}
	copyBytes(dst, to, src, from, n)
}

// mark tells the observer of a bit of the shadow.
func (m *machine) mark(o *object, what shadowBit, written bool) {
	if m.obs != nil {
		m.obs.marked(o, what, written)
	}
}
