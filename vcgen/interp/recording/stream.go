package recording

import (
	"iter"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Stream has the events of a run, moment by moment.
//
// Moment t is the execution of instruction t of the run, from 0; the state at t is the one before it. For each moment
// the stream has the instruction, the frame, and the memory that it read and wrote, but no values (see Recording).
// Debugger steps are computed from it.
//
// It consists of chunks of chunkLen moments, about 1 MB each. Of a run of more than maxChunks chunks only the end is
// kept: First is the first available moment.
type Stream struct {
	limits streamLimits
	byID   []*llvmir.Instr
	chunks []*chunk
	first  int // number of dropped chunks
	frames []FrameRecord
}

const (
	// chunkBits is the binary logarithm of the number of entries in a chunk.
	chunkBits = 16
	chunkLen  = 1 << chunkBits
	// maxChunks bounds the chunks of a stream; the oldest are dropped.
	maxChunks = 256
)

// streamLimits are chunkBits and maxChunks; tests use smaller ones.
type streamLimits struct {
	bits   uint
	chunks int
}

type chunk struct {
	instrs   []int32 // 2*Instr.ID, plus 1 if it begins a source line
	frames   []int32
	accesses []access32 // in execution order
}

type access32 struct {
	at     uint16 // moment, relative to the chunk
	write  bool
	object int32
	off, n uint64
}

// FrameRecord is one call of a function.
type FrameRecord struct {
	Func   *llvmir.Func
	Parent int // index of the calling frame; -1 for the entry and constructors
	Depth  int
	// Entered is the first moment in the frame, Left the moment after its last; -1 while it is active, even at the
	// end of the run.
	Entered, Left int64
	// Start is the first moment that begins a line of user code; -1 if there is none.
	Start int64

	// The last source line that was begun, and the block in which it began.
	line, block int
	file        string
}

// Access is a range of bytes that a moment read or wrote.
//
// Object is the number of an object in the order of creation, from 1.
type Access struct {
	At     int64
	Object int
	Off, N uint64 // bytes
	Write  bool
}

func newStream(m *clangir.Module, limits streamLimits) *Stream {
	s := &Stream{limits: limits}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for in.ID >= len(s.byID) {
					s.byID = append(s.byID, make([]*llvmir.Instr, in.ID+1024)...)
				}
				s.byID[in.ID] = in
			}
		}
	}
	return s
}

// length returns the number of moments of a chunk.
func (s *Stream) length() int { return 1 << s.limits.bits }

// full reports whether the next moment begins a new chunk.
func (s *Stream) full() bool {
	n := len(s.chunks)
	return n == 0 || len(s.chunks[n-1].instrs) == s.length()
}

// open begins a chunk, and reports whether it dropped the oldest one.
func (s *Stream) open() (dropped bool) {
	if len(s.chunks) == s.limits.chunks {
		s.chunks = append(s.chunks[:0:0], s.chunks[1:]...)
		s.first++
		dropped = true
	}
	s.chunks = append(s.chunks, &chunk{})
	return dropped
}

// execute records that the frame executes an instruction.
func (s *Stream) execute(frame int32, id int, starts bool) {
	c := s.chunks[len(s.chunks)-1]
	word := int32(id) << 1
	if starts {
		word |= 1
		if f := &s.frames[frame]; f.Start < 0 {
			f.Start = s.Len()
		}
	}
	c.instrs = append(c.instrs, word)
	c.frames = append(c.frames, frame)
}

// access records that the current moment accesses memory.
func (s *Stream) access(object int32, off, n uint64, write bool) {
	if len(s.chunks) == 0 || n == 0 {
		return // initialisers and parameters
	}
	c := s.chunks[len(s.chunks)-1]
	c.accesses = append(c.accesses, access32{at: uint16(len(c.instrs) - 1), write: write, object: object, off: off, n: n})
}

// takeBack removes the last recorded access.
func (s *Stream) takeBack() {
	if len(s.chunks) > 0 {
		c := s.chunks[len(s.chunks)-1]
		if n := len(c.accesses); n > 0 {
			c.accesses = c.accesses[:n-1]
		}
	}
}

// push numbers a frame that is being entered.
func (s *Stream) push(fr *state.Frame, parent int) {
	s.frames = append(s.frames, FrameRecord{Func: fr.Fn, Parent: parent, Depth: fr.Depth, Entered: s.Len(), Left: -1,
		Start: -1})
}

// Len returns the number of moments of the run.
func (s *Stream) Len() int64 {
	if len(s.chunks) == 0 {
		return 0
	}
	n := len(s.chunks) - 1
	return int64(s.first+n)<<s.limits.bits + int64(len(s.chunks[n].instrs))
}

// First returns the first available moment; 0 except for very long runs.
func (s *Stream) First() int64 { return int64(s.first) << s.limits.bits }

func (s *Stream) at(t int64) (*chunk, int) {
	return s.chunks[int(t>>s.limits.bits)-s.first], int(t) & (s.length() - 1)
}

// Instr returns the instruction that moment t executes, First() <= t < Len().
func (s *Stream) Instr(t int64) *llvmir.Instr {
	c, i := s.at(t)
	return s.byID[c.instrs[i]>>1]
}

// Frame returns the frame in which moment t executes, an argument of FrameRecord.
func (s *Stream) Frame(t int64) int {
	c, i := s.at(t)
	return int(c.frames[i])
}

// Starts reports whether moment t begins a visit of a line of user code.
//
// It does at the first instruction of the line in its frame, or in another iteration of a loop.
func (s *Stream) Starts(t int64) bool {
	c, i := s.at(t)
	return c.instrs[i]&1 == 1
}

// FrameRecord describes a frame; frames are numbered in the order of the calls, from 0.
func (s *Stream) FrameRecord(frame int) FrameRecord { return s.frames[frame] }

// Frames returns the number of frames of the run.
func (s *Stream) Frames() int { return len(s.frames) }

// Accesses yields the accesses of moment t, in execution order.
func (s *Stream) Accesses(t int64) iter.Seq[Access] {
	return func(yield func(Access) bool) {
		c, i := s.at(t)
		for k := c.firstAccess(uint16(i)); k < len(c.accesses) && int(c.accesses[k].at) == i; k++ {
			if !yield(c.accesses[k].wide(t - int64(i))) {
				return
			}
		}
	}
}

func (a access32) wide(start int64) Access {
	return Access{At: start + int64(a.at), Object: int(a.object), Off: a.off, N: a.n, Write: a.write}
}

// firstAccess returns the index of the first access at or after a moment of the chunk.
func (c *chunk) firstAccess(at uint16) int {
	lo, hi := 0, len(c.accesses)
	for lo < hi {
		mid := (lo + hi) / 2
		if c.accesses[mid].at < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// LastWrite returns the last write before moment t to any of n bytes at off of an object.
func (s *Stream) LastWrite(object int, off, n uint64, t int64) (Access, bool) {
	for t > s.First() {
		c, i := s.at(t - 1)
		start := t - 1 - int64(i)
		for k := len(c.accesses) - 1; k >= 0; k-- {
			a := c.accesses[k]
			if int(a.at) <= i && a.hits(object, off, n) {
				return a.wide(start), true
			}
		}
		t = start
	}
	return Access{}, false
}

// NextWrite returns the first write at or after moment t to any of n bytes at off of an object.
func (s *Stream) NextWrite(object int, off, n uint64, t int64) (Access, bool) {
	for t = max(t, s.First()); t < s.Len(); {
		c, i := s.at(t)
		start := t - int64(i)
		for _, a := range c.accesses[c.firstAccess(uint16(i)):] {
			if a.hits(object, off, n) {
				return a.wide(start), true
			}
		}
		t = start + int64(s.length())
	}
	return Access{}, false
}

func (a access32) hits(object int, off, n uint64) bool {
	return a.write && int(a.object) == object && a.off < off+n && off < a.off+a.n
}
