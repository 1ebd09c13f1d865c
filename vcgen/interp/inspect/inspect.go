// Package inspect lets a reader look around in the state of an execution as a C debugger does. An Inspector has the
// call stack, the variables in scope and the objects; a Value is a place or a number with a C type, with its text and
// its parts, and Inspector.Evaluate computes one from a C expression without side effects (expression.go,
// arithmetic.go, types.go).
//
// It only reads: no expression changes the state, and it knows nothing of how the state came about.
package inspect

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Inspector shows a state in the words of C. The state has a journal, which numbers its objects.
type Inspector struct {
	*explain.View
	types *cTypes // nil until they are asked for
}

// FrameView is a frame of the call stack at the present moment of a Recording.
type FrameView struct {
	Number int // for FrameRecord
	Func   *llvmir.Func
	// Loc is the place that is about to be executed, or the call of the frame above; the
	// function's own where the compiler gave none.
	Loc *llvmir.Loc
	fr  *state.Frame
}

// Stack returns the frames, the youngest first.
func (r *Inspector) Stack() []FrameView {
	out := make([]FrameView, 0, len(r.Frames))
	for i := len(r.Frames) - 1; i >= 0; i-- {
		fr := r.Frames[i]
		out = append(out, FrameView{Number: fr.Serial, Func: fr.Fn, Loc: r.locOf(i), fr: fr})
	}
	return out
}

// locOf is the place of the i-th frame. An instruction without one has that of the next one
// in its block that has, for it prepares that.
func (r *Inspector) locOf(i int) *llvmir.Loc {
	fr, at := r.Frames[i], r.At
	if i+1 < len(r.Frames) {
		at = r.Frames[i+1].Call
	} else if at != nil && (at.Loc == nil || at.Loc.Line == 0) {
		for _, in := range fr.Block.Instrs[min(fr.PC, len(fr.Block.Instrs)):] {
			if in.Loc != nil && in.Loc.Line > 0 && in.Op != llvmir.OpDbgDeclare {
				return in.Loc
			}
		}
	}
	return state.LocOf(fr.Fn, at)
}

// Variable is a named variable at the present moment.
type Variable struct {
	Name string
	Arg  bool
	Line int // of the declaration
	Value
}

// Locals returns the parameters and variables of a frame that are in scope and alive, in
// the order in which they came into scope. One that is hidden by another is left out.
func (r *Inspector) Locals(f FrameView) []Variable {
	var out []Variable
	hidden := map[string]bool{}
	for k := len(f.fr.Bound) - 1; k >= 0; k-- {
		b := f.fr.Bound[k]
		if hidden[b.V.Name] || b.V.Name == "" || f.Loc == nil || !explain.InScope(b.V.Scope, f.Loc.Scope) ||
			b.Addr.Obj == nil || !b.Addr.Obj.Live {
			continue
		}
		hidden[b.V.Name] = true
		out = append([]Variable{{Name: b.V.Name, Arg: b.V.Arg > 0, Line: b.V.Line,
			Value: Value{r: r, typ: b.V.Type, obj: b.Addr.Obj, off: b.Addr.Offset()}}}, out...)
	}
	return out
}

// Globals returns the user's variables with static storage, without constants.
func (r *Inspector) Globals() []Variable {
	var out []Variable
	for _, g := range r.Program.Globals {
		if g.Constant || g.DIType == nil || g.Loc == nil || !r.UserFile(g.Loc.File) {
			continue
		}
		out = append(out, Variable{Name: g.SourceName, Line: g.Loc.Line, Value: r.globalValue(g)})
	}
	return out
}

// globalValue is a variable with static storage. One that the run has not used yet has no
// object: its value is that of its initialiser, where that holds no address.
func (r *Inspector) globalValue(g *llvmir.Global) Value {
	v := Value{r: r, typ: g.DIType, obj: r.State.Globals[g]}
	if v.obj != nil {
		return v
	}
	if g.Init == nil || holdsAddress(g.Init) {
		v.broken = "not used yet"
		return v
	}
	v.obj = &state.Object{Kind: state.Static, Name: g.Name, Source: g.SourceName, DIType: g.DIType,
		Size: uint64(g.Type.Size), Live: true, Global: g, Made: g.Loc}
	v.obj.Initialise(0, g.Init, func(off uint64, c *llvmir.Const) {
		v.obj.Store(off, state.NumberOf(c),
			int(c.Type.StoreSize))
	})
	return v
}

func holdsAddress(c *llvmir.Const) bool {
	switch c.Kind {
	case llvmir.ConstGlobal, llvmir.ConstFunc, llvmir.ConstExpr:
		return true
	}
	return slices.ContainsFunc(c.Elems, holdsAddress)
}

// Object describes a memory object at the present moment.
type Object struct {
	Number   int    // as in Access
	Name     string // "buf", "malloc#2"
	Storage  string // automatic, heap, static
	Function string // that holds it or made it; "" for static objects
	Size     uint64 // bytes
	Address  uint64
	Live     bool
	ReadOnly bool
	// Made is where it was allocated or declared, Ended where its life ended; nil when
	// unknown or alive.
	Made, Ended *llvmir.Loc
	Type        *llvmir.DIType // of the variable; nil for others
}

// Object returns the object with a number; false when it does not exist (yet).
func (r *Inspector) Object(number int) (Object, bool) {
	o := r.Journal.Object(number)
	if o == nil {
		return Object{}, false
	}
	out := Object{Number: number, Name: o.Name, Size: o.Size, Address: o.Base, Live: o.Live, ReadOnly: o.Readonly,
		Made: o.Made, Ended: o.Ended, Type: o.DIType}
	switch o.Kind {
	case state.OnHeap:
		out.Storage, out.Name = "heap", o.MadeName()
	case state.OnStack:
		out.Storage = "automatic"
	default:
		out.Storage = "static"
	}
	if o.Source != "" {
		out.Name = o.Source
	}
	if o.Made != nil && o.Made.Scope != nil && o.Kind != state.Static {
		out.Function = o.Made.Scope.Function
	}
	return out, true
}

// Describe is a sentence about the object: its size, origin and end.
func (o Object) Describe() string {
	s := fmt.Sprintf("%s of %s", o.Name, explain.BytesWord(o.Size))
	switch o.Storage {
	case "heap":
		s += ", allocated" + siteText(o.Made)
	case "automatic":
		s += ", a variable of " + o.Function + siteText(o.Made)
	default:
		s += ", static" + siteText(o.Made)
	}
	switch {
	case o.Live:
	case o.Storage == "heap":
		s += ", freed" + siteText(o.Ended)
	default:
		s += ", out of scope" + siteText(o.Ended)
	}
	return s
}

func siteText(l *llvmir.Loc) string {
	if l == nil || l.Line == 0 {
		return ""
	}
	return " at " + path.Base(l.File) + ":" + strconv.Itoa(l.Line)
}

// Byte is a byte of memory with its shadow.
type Byte struct {
	Value byte
	// Known: the run determines the value; else it may be any, for the run never looks at it.
	Known bool
	// Written: by the program or an input; false for memory that was never written.
	Written bool
	Pointer bool // part of a pointer to an object
}

// Memory returns the bytes [off, off+n) of an object, as far as they lie in it.
func (r *Inspector) Memory(object int, off, n uint64) []Byte {
	o := r.Journal.Object(object)
	if o == nil || off >= o.Size {
		return nil
	}
	out := make([]Byte, min(n, o.Size-off))
	for i := range out {
		c, ok := o.Peek(off + uint64(i))
		out[i] = Byte{Value: c.B, Known: ok, Written: o.StateAt(off+uint64(i)) != state.Uninitialized,
			Pointer: c.Ref.Obj != nil}
	}
	return out
}

// ObjectValue is an object as a value of its variable's type; false where it has none.
func (r *Inspector) ObjectValue(number int) (Value, bool) {
	o := r.Journal.Object(number)
	if o == nil || o.DIType == nil {
		return Value{}, false
	}
	return Value{r: r, typ: o.DIType, obj: o}, true
}
