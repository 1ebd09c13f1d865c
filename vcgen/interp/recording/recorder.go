package recording

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Accused is the access of the violation: N bytes at Off of an object, possibly outside of it.
type Accused struct {
	Object int // 0 if there is none
	Off    int64
	N      uint64
	Write  bool
}

// recorder observes a run so that all of its moments can be restored.
//
// It writes the events of the run to a Stream, and begins an epoch of the state's journal with each chunk of the
// stream. A moment inside an epoch is reached by executing from its beginning; the changes are saved in a separate
// epoch, which is undone and discarded.
//
// The alternative, a log of all changes of registers, was rejected. It takes at least 40 bytes per instruction,
// because a register has 32 bytes; this design takes 16, most of them for the Stream. Executing up to 65,536
// instructions again takes less than 10 ms (BenchmarkRecording).
type recorder struct {
	interp.Unobserved
	m         *interp.Machine
	choices   *choice.Cursor
	stream    *Stream // nil during a replay
	journal   *state.Journal
	epochs    []recordedEpoch // parallel to Stream.chunks
	accused   Accused         // the last access that was checked, at moment accusedAt-1
	accusedAt int64
	lines     []uint8 // by Instr.ID: 1 if it starts no user line, 2 if it does, 0 if unknown
}

// recordedEpoch is a section of the run that can be undone.
type recordedEpoch struct {
	start int64  // moment
	asked uint64 // number of questions to the inputs before it
	*state.Epoch
}

// Executing implements Observer.
func (r *recorder) Executing(fr *state.Frame, in *llvmir.Instr) {
	if r.stream != nil {
		if r.stream.full() {
			r.nextEpoch()
		}
		r.stream.execute(int32(fr.Serial), in.ID, r.startsLine(fr, in))
	}
	r.journal.SaveFrame(fr, 1)
}

// nextEpoch begins an epoch at the instruction that is about to be executed; the machine has already counted it.
func (r *recorder) nextEpoch() {
	e := recordedEpoch{start: r.m.Executed - 1, asked: r.choices.Position(), Epoch: r.journal.Open()}
	if r.stream.open() {
		r.epochs = append(r.epochs[:0:0], r.epochs[1:]...)
	}
	r.epochs = append(r.epochs, e)
}

// startsLine reports whether in begins a visit of a line of user code.
func (r *recorder) startsLine(fr *state.Frame, in *llvmir.Instr) bool {
	if r.lines == nil {
		r.lines = make([]uint8, len(r.stream.byID))
	}
	if r.lines[in.ID] == 0 {
		r.lines[in.ID] = 1
		if sourceLine(r.m.View.UserFile, fr.Block, fr.PC, in) {
			r.lines[in.ID] = 2
		}
	}
	f := &r.stream.frames[fr.Serial]
	starts := false
	if r.lines[in.ID] == 2 {
		starts = f.line != in.Loc.Line || f.file != in.Loc.File
		f.line, f.file = in.Loc.Line, in.Loc.File
		if starts {
			f.block = fr.Block.Index
		}
	}
	if in.Op == llvmir.OpBr && in.Succs[0] <= fr.Block.Index && f.block <= in.Succs[0] {
		f.line = 0 // a loop on one line: each iteration is a visit
	}
	return starts
}

// sourceLine reports whether an instruction stands for a line at which a user's step can stop.
//
// next is the index after the instruction in block b.
func sourceLine(user func(file string) bool, b *llvmir.Block, next int, in *llvmir.Instr) bool {
	switch in.Op {
	case llvmir.OpBitCast:
		// The argument of llvm.lifetime.start and .end is computed at the beginning or end of a block.
		if user := b.Instrs[min(next, len(b.Instrs)-1)]; user.Op == llvmir.OpCall &&
			strings.HasPrefix(user.Intrinsic, "lifetime.") {
			return false
		}
	case llvmir.OpAlloca, llvmir.OpDbgDeclare, llvmir.OpDbgValue, llvmir.OpUnreachable:
		return false
	case llvmir.OpBr:
		// At the end of a block in braces clang's jump has the position of the closing brace. A jump that is alone in
		// its block may be a break or goto.
		if next > 1 {
			return false
		}
	case llvmir.OpCall:
		switch in.Intrinsic {
		case "lifetime.start", "lifetime.end", "stacksave", "stackrestore":
			return false
		}
	}
	return in.Loc != nil && in.Loc.Line > 0 && user(in.Loc.File)
}

// Pushed implements Observer.
func (r *recorder) Pushed(fr *state.Frame) {
	r.journal.Born(fr)
	if r.stream != nil {
		parent := -1
		if n := len(r.m.Frames); n > 1 {
			parent = r.m.Frames[n-2].Serial
		}
		r.stream.push(fr, parent)
	}
}

// Popped implements Observer.
func (r *recorder) Popped(fr *state.Frame) {
	if r.stream != nil {
		r.stream.frames[fr.Serial].Left = r.stream.Len()
	}
	if len(r.m.Frames) > 0 {
		r.journal.SaveFrame(r.m.Top(), 0)
	}
}

// Reading implements Observer.
func (r *recorder) Reading(o *state.Object, off, n uint64) {
	if r.stream != nil {
		r.stream.access(o.Serial, off, n, false)
	}
}

// Writing implements Observer. Initialization of a variable is not a write.
func (r *recorder) Writing(o *state.Object, off, n uint64) {
	if r.stream != nil && (o.Kind != state.Static || o.Written) {
		r.stream.access(o.Serial, off, n, true)
	}
}

// Copying implements Observer.
func (r *recorder) Copying(dst *state.Object, to uint64, src *state.Object, from, n uint64) {
	r.Reading(src, from, n)
	r.Writing(dst, to, n)
}

// Chosen implements Observer. Initial content of memory is not a write.
func (r *recorder) Chosen(c *state.Input, o *state.Object, _ uint64) {
	if r.stream == nil || o == nil {
		return
	}
	switch c.Kind {
	case choice.Uninitialized, choice.Malloc, choice.Parameter:
		r.stream.takeBack()
	}
}

// Made implements Observer.
func (r *recorder) Made(o *state.Object) { r.journal.Made(o) }

// Ended implements Observer.
func (r *recorder) Ended(o *state.Object) { r.journal.Ending(o) }

// Checking implements observer.
func (r *recorder) Checking(o *state.Object, off, n uint64, write bool) {
	if r.stream == nil {
		return
	}
	if o == nil {
		r.accused = Accused{}
		return
	}
	r.accused = Accused{Object: int(o.Serial), Off: int64(off), N: n, Write: write}
	r.accusedAt = r.m.Executed
}
