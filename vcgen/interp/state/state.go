// Package state is what an execution of LLVM IR on concrete inputs has at one moment: frames with registers, objects
// with their bytes and shadow memory, addresses. State is all of it, Value the content of a register, Frame a call,
// Object a memory object; every pointer, and every integer made from one, knows the object that it was derived from. A
// Journal keeps what changes overwrite, so that earlier states can be had back.
//
// Reading order: value.go, memory.go, address.go, frame.go, state.go, journal.go.
//
// It knows nothing of what instructions do, of checks, or of how anything is called in C.
package state

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// State is everything that what an execution does next depends on, but for the program and its inputs.
type State struct {
	Frames []*Frame
	// At is the instruction that is being executed, in the youngest frame.
	At *llvmir.Instr

	Begun    int   // functions that the program runs by itself and that were entered
	Exited   bool  // exit was called
	Pushes   int   // frames so far
	Executed int64 // instructions so far, with the present one

	Globals map[*llvmir.Global]*Object
	Funcs   map[*llvmir.Func]*Object
	Layout  Layout
	Exposed []*Object   // whose addresses were seen as numbers
	Heap    []*Object   // all of them when leaks are checked
	Escaped []*Object   // that functions without a body know
	Blocks  int         // allocated so far
	Made    map[int]int // objects made per site
	// Tracking is whether writes are recorded (sea_tracking_on).
	Tracking bool
	// Limits are the frames of contracts, the innermost first. None counts where Paused is not 0.
	Limits *Limit
	Paused int
	// Assumes tells which words of contracts are being assumed (language.AssumesEnsured and so on), the innermost last.
	Assumes []uint64
	// Order is the number of the object that was made last. It never goes back.
	Order int

	Choices int      // made so far
	Inputs  []*Input // those that were used

	Journal *Journal // nil: nobody wants the past back
}

func New() *State {
	return &State{Globals: map[*llvmir.Global]*Object{}, Funcs: map[*llvmir.Func]*Object{}, Made: map[int]int{}}
}

// Top is the youngest frame.
func (s *State) Top() *Frame { return s.Frames[len(s.Frames)-1] }

// instrAt is the instruction that the i-th frame is at: the present one, or the call of the frame above.
func (s *State) instrAt(i int) *llvmir.Instr {
	if i+1 < len(s.Frames) {
		return s.Frames[i+1].Call
	}
	return s.At
}

// Where is the place that is being executed, nil when unknown.
func (s *State) Where() *llvmir.Loc {
	if len(s.Frames) == 0 || s.At == nil {
		return nil
	}
	return LocOf(s.Top().Fn, s.At)
}

// LocOf is the position of an instruction, that of its function when it has none.
func LocOf(f *llvmir.Func, in *llvmir.Instr) *llvmir.Loc {
	return in.LocIn(f)
}

// Site is an entry of a call stack: a function and the place in it that is being executed.
type Site struct {
	Func *llvmir.Func
	Loc  *llvmir.Loc
}

// StackNow returns the frames that are active, outermost first.
func (s *State) StackNow() []Site {
	out := make([]Site, len(s.Frames))
	for i, fr := range s.Frames {
		out[i] = Site{fr.Fn, LocOf(fr.Fn, s.instrAt(i))}
	}
	return out
}

// AddObject brings an object to life and gives it an address, the wanted one where that is not 0 and free; false when
// there is no room. The object has no content yet, which reads as zero.
func (s *State) AddObject(o *Object, align, wanted uint64) bool {
	o.Live, o.Made = true, s.Where()
	s.Order++
	o.Order = s.Order
	if o.Site != 0 {
		o.Ordinal = s.Made[o.Site]
		s.Made[o.Site]++
		s.Journal.log(change{what: madeAt, site: o.Site})
	}
	return s.Layout.place(o, align, wanted)
}

// SetGlobal and setFunction note which object stands for a variable or a function.
func (s *State) SetGlobal(g *llvmir.Global, o *Object) {
	s.Globals[g] = o
	s.Journal.log(change{what: globalMade, global: g, object: o})
}

func (s *State) SetFunction(f *llvmir.Func, o *Object) {
	s.Funcs[f] = o
	s.Journal.log(change{what: functionMade, fn: f, object: o})
}

// End ends the life of an object.
func (s *State) End(o *Object) {
	o.Change()
	o.Live = false
	o.Ended = s.Where()
	s.Layout.drop(o)
	if o.Exposed {
		for i, e := range s.Exposed {
			if e == o {
				s.Exposed = append(s.Exposed[:i], s.Exposed[i+1:]...)
				break
			}
		}
	}
}

// Expose notes that the address of o was seen as a number.
func (s *State) Expose(o *Object) {
	if !o.Exposed {
		o.Change()
		o.Exposed = true
		if o.Live {
			s.Exposed = append(s.Exposed, o)
		}
	}
}

// IntToPtr makes a pointer of a number. One that was derived from a pointer keeps its object, wherever it points to,
// unless it was loosely and points into another one; when nothing is known, the objects whose address was seen as a
// number are asked.
func (s *State) IntToPtr(v Value) Value {
	if v.Whole() {
		if o := s.Found(v).Obj; o != nil {
			v.Obj = o
		}
		return v
	}
	if o := s.Layout.containing(s.Exposed, v.Bits); o != nil {
		return Value{Bits: v.Bits, Obj: o, N: 8}
	}
	return v.Plain()
}

// Found is what a pointer points to. One that was derived loosely is looked up by its address, wherever that was moved
// since: outside of its object it may be inside another one, or in none.
func (s *State) Found(v Value) Value {
	if !v.Loose || !v.Whole() || v.Bits >= FirstPage && v.Offset() <= v.Obj.Size {
		return v
	}
	if o := s.Layout.containing(s.Exposed, v.Bits); o != nil && v.Bits-o.Base < o.Size {
		return Value{Bits: v.Bits, Obj: o, N: 8}
	}
	return v.Plain()
}

// Input is an arbitrary choice that the execution made, as it is reported afterwards.
type Input struct {
	Kind choice.Kind
	Site int
	Fn   string // the function that was called
	In   string // the function that holds the place
	// Model is the library's function in whose call it is chosen, where Loc is that call.
	Model string
	// Unmodelled: it stands for a value that the C library or inline assembly computes and nobody here knows.
	Unmodelled bool
	Variable   string
	DIType     *llvmir.DIType
	Points     *llvmir.DIType // of a heap object: what the pointer that got it points to
	Loc        *llvmir.Loc

	Fails   bool // of an allocation: it gave NULL
	IsValue bool
	Value   Value
	Typ     *llvmir.Type

	Size    uint64
	Content func(uint64) byte
	used    bool   // some byte was looked at
	Last    uint64 // the last byte that was
	Order   int    // of the choice in the execution
}

// NewInput begins the record of a choice that is made here. Values are recorded at once,
// content when the first of its bytes is used: most is overwritten unseen, and a long run
// makes millions of choices.
func (s *State) NewInput(kind choice.Kind, site int) *Input {
	s.Choices++
	r := &Input{Kind: kind, Site: site, Order: s.Choices}
	if len(s.Frames) > 0 {
		r.Loc, r.In = s.Where(), s.Top().Fn.SourceName
		r.Fn = r.In
	}
	return r
}

// UseInput notes that byte i of a content was used.
func (s *State) UseInput(r *Input, i uint64) {
	if !r.used {
		r.used = true
		s.Inputs = append(s.Inputs, r)
	}
	r.Last = max(r.Last, i)
}
