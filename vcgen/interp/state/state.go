// Package state represents the state of an execution of LLVM IR on concrete inputs at one moment.
//
// It consists of frames with registers, objects with bytes and shadow memory, and addresses. Each pointer, and each
// integer converted from one, has a reference to the object that it was derived from. For example, after
//
//	int a[2], b;
//	int *p = &a[1];
//
// register p has a Value with the address Bits = a.Base + 4 and Obj = a. p + 1 still belongs to a, even if b is
// located there, so an access through it is out of bounds.
//
// Principal types: State is the whole state, Value the content of a register, Frame an active call, Object a memory
// object. A Journal stores overwritten parts of the state, so that earlier states can be restored.
//
// Reading order: value.go, memory.go (objects) with pages.go and values.go (their bytes), address.go, frame.go,
// state.go, journal.go.
//
// The package is independent of the semantics of instructions, of checks, and of names in C.
package state

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/space"
)

// State is all data on which the further execution depends, except the program and its inputs.
type State struct {
	Frames []*Frame
	// At is the instruction that is being executed, in the top frame.
	At *llvmir.Instr

	Begun    int   // functions of the sequence (constructors, entry, ...) that have been entered
	Exited   bool  // exit was called
	Pushes   int   // frames created so far
	Executed int64 // instructions so far, including the current one

	Globals map[*llvmir.Global]*Object
	Funcs   map[*llvmir.Func]*Object
	Layout  Layout
	Exposed []*Object   // objects whose addresses were observed as numbers
	Heap    []*Object   // all heap objects, if leaks are checked
	Escaped []*Object   // objects that functions without a body may access
	Blocks  int         // number of allocations so far
	Made    map[int]int // objects created per site
	// Tracking is whether writes are recorded (sea_tracking_on).
	Tracking bool
	// Limits are the frames of contracts, innermost first. They do not apply if Paused is not 0.
	Limits *Limit
	Paused int
	// Assumes lists the kinds of contract clauses that are being assumed (language.AssumesEnsured, ...), innermost
	// last.
	Assumes []uint64
	// Order is the number of the most recent object. It never decreases.
	Order int

	Choices int      // number of choices so far
	Inputs  []*Input // the choices that were used

	Journal *Journal // nil if no history is recorded
}

// New returns the state before the execution, for an address space and a byte order.
func New(s space.Space, bigEndian bool) *State {
	return &State{Layout: Layout{Space: s, BigEndian: bigEndian},
		Globals: map[*llvmir.Global]*Object{}, Funcs: map[*llvmir.Func]*Object{}, Made: map[int]int{}}
}

// Top returns the top frame.
func (s *State) Top() *Frame { return s.Frames[len(s.Frames)-1] }

// instrAt returns the current instruction of frame i: At for the top frame, otherwise the call of the next frame.
func (s *State) instrAt(i int) *llvmir.Instr {
	if i+1 < len(s.Frames) {
		return s.Frames[i+1].Call
	}
	return s.At
}

// Where returns the current position; nil if unknown.
func (s *State) Where() *llvmir.Loc {
	if len(s.Frames) == 0 || s.At == nil {
		return nil
	}
	return LocOf(s.Top().Fn, s.At)
}

// LocOf returns the position of an instruction, or that of its function if it has none.
func LocOf(f *llvmir.Func, in *llvmir.Instr) *llvmir.Loc {
	return in.LocIn(f)
}

// Site is an entry of a call stack: a function and the current position in it.
type Site struct {
	Func *llvmir.Func
	Loc  *llvmir.Loc
}

// StackNow returns the active calls, outermost first.
func (s *State) StackNow() []Site {
	out := make([]Site, len(s.Frames))
	for i, fr := range s.Frames {
		out[i] = Site{fr.Fn, LocOf(fr.Fn, s.instrAt(i))}
	}
	return out
}

// AddObject begins the lifetime of an object and assigns its address. It reports whether there is room for it.
//
// The address is wanted if that is free and not 0. The object has no content yet, which reads as zero.
func (s *State) AddObject(o *Object, align, wanted uint64) bool {
	o.Live, o.Made = true, s.Where()
	o.Pointer, o.BigEndian = uint8(s.Layout.Space.Bytes()), s.Layout.BigEndian
	s.Order++
	o.Order = s.Order
	if o.Site != 0 {
		o.Ordinal = s.Made[o.Site]
		s.Made[o.Site]++
		s.Journal.log(change{what: madeAt, site: o.Site})
	}
	return s.Layout.place(o, align, wanted)
}

// SetGlobal and SetFunction record the object of a variable or a function.
func (s *State) SetGlobal(g *llvmir.Global, o *Object) {
	s.Globals[g] = o
	s.Journal.log(change{what: globalMade, global: g, object: o})
}

func (s *State) SetFunction(f *llvmir.Func, o *Object) {
	s.Funcs[f] = o
	s.Journal.log(change{what: functionMade, fn: f, object: o})
}

// End ends the lifetime of an object.
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

// Expose records that the address of o was observed as a number.
func (s *State) Expose(o *Object) {
	if !o.Exposed {
		o.Change()
		o.Exposed = true
		if o.Live {
			s.Exposed = append(s.Exposed, o)
		}
	}
}

// IntToPtr converts a number to a pointer.
//
//   - A number derived from a pointer retains its object, wherever it points.
//   - If it was derived loosely and points into another object, it belongs to that one.
//   - A number of unknown origin belongs to the exposed object that contains the address.
func (s *State) IntToPtr(v Value) Value {
	if v.Whole() {
		if o := s.Found(v).Obj; o != nil {
			v.Obj = o
		}
		return v
	}
	if o := s.Layout.containing(s.Exposed, v.Bits); o != nil {
		return Value{Bits: v.Bits, Obj: o, N: o.pointerSize()}
	}
	return v.Plain()
}

// Found returns the target of a pointer.
//
// A loosely derived pointer outside of its object is looked up by its address: it may be inside another object, or in
// none.
func (s *State) Found(v Value) Value {
	if !v.Loose || !v.Whole() || v.Bits >= s.Layout.Space.Lowest && v.Offset() <= v.Obj.Size {
		return v
	}
	if o := s.Layout.containing(s.Exposed, v.Bits); o != nil && v.Bits-o.Base < o.Size {
		return Value{Bits: v.Bits, Obj: o, N: o.pointerSize()}
	}
	return v.Plain()
}

// Input is the record of an arbitrary choice of the execution.
type Input struct {
	Kind choice.Kind
	Site int
	Fn   string // the function that was called
	In   string // the function that contains the place
	// Model is the library function that made the choice, if Loc is the call of that function.
	Model string
	// Unmodelled: the C library or inline assembly computes the value, which is not modelled.
	Unmodelled bool
	Variable   string
	DIType     *llvmir.DIType
	Points     *llvmir.DIType // of a heap object: the target type of the pointer to it
	Loc        *llvmir.Loc

	Fails   bool // of an allocation: it returned NULL
	IsValue bool
	Value   Value
	Typ     *llvmir.Type

	Size    uint64
	Content func(uint64) byte
	used    bool   // some byte was read
	Last    uint64 // the last byte that was read
	Order   int    // number of the choice in the execution
}

// NewInput begins the record of a choice that is made here.
//
// Values are recorded at once, but content only when its first byte is used: most content is overwritten before that,
// and a long run makes millions of choices.
func (s *State) NewInput(kind choice.Kind, site int) *Input {
	s.Choices++
	r := &Input{Kind: kind, Site: site, Order: s.Choices}
	if len(s.Frames) > 0 {
		r.Loc, r.In = s.Where(), s.Top().Fn.SourceName
		r.Fn = r.In
	}
	return r
}

// UseInput records the use of byte i of a content.
func (s *State) UseInput(r *Input, i uint64) {
	if !r.used {
		r.used = true
		s.Inputs = append(s.Inputs, r)
	}
	r.Last = max(r.Last, i)
}
