// Package inspect displays the state of an execution like a C debugger.
//
// At a moment of a recorded run, an Inspector has the call stack, the variables in scope and the objects. Evaluate
// computes a C expression without side effects:
//
//	v, err := r.Evaluate(r.Stack()[0], "list->head[i].name")
//	v.TypeName() // char [16]
//	v.Text()     // "abc"
//
// Principal types: Inspector; FrameView, a frame of the call stack; Value, a place in memory or a number with a C
// type, its text and its parts; Object, a memory object.
//
// Reading order: inspect.go, value.go, expression.go, arithmetic.go, types.go. The package only reads: no expression
// changes the state. It is independent of how the state was reached.
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

// Inspector presents a state in terms of C. The state must have a journal, which numbers its objects.
type Inspector struct {
	*explain.View
	types *cTypes // nil until they are needed
}

// FrameView is a frame of the call stack at the current moment of a Recording.
type FrameView struct {
	Number int // for FrameRecord
	Func   *llvmir.Func
	// Loc is the position that is about to be executed, or the call of the next frame. If the compiler provided none,
	// it is the position of the function.
	Loc *llvmir.Loc
	fr  *state.Frame
}

// Stack returns the frames, innermost first.
func (r *Inspector) Stack() []FrameView {
	out := make([]FrameView, 0, len(r.Frames))
	for i := len(r.Frames) - 1; i >= 0; i-- {
		fr := r.Frames[i]
		out = append(out, FrameView{Number: fr.Serial, Func: fr.Fn, Loc: r.locOf(i), fr: fr})
	}
	return out
}

// locOf returns the position of frame i.
//
// An instruction without a position has that of the next instruction in its block with one, because it is part of the
// same computation.
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

// Variable is a named variable at the current moment.
type Variable struct {
	Name string
	Arg  bool
	Line int // of the declaration
	Value
}

// Locals returns the parameters and variables of a frame that are in scope and alive, in the order of their
// declarations. Hidden variables are omitted.
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

// Globals returns the user's variables with static storage, except constants.
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

// globalValue returns the value of a variable with static storage.
//
// A variable that the run has not used yet has no object. Its value is then its initializer, unless that contains an
// address.
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

// Object describes a memory object at the current moment.
type Object struct {
	Number   int    // as in Access
	Name     string // "buf", "malloc#2"
	Storage  string // automatic, heap, static
	Function string // the function that declared or allocated it; "" for static objects
	Size     uint64 // bytes
	Address  uint64
	Live     bool
	ReadOnly bool
	// Made is the position of the allocation or declaration, Ended the position of the end of the lifetime; nil if
	// unknown or alive.
	Made, Ended *llvmir.Loc
	Type        *llvmir.DIType // of the variable; nil for other objects
}

// Object returns the object with a number; false if it does not exist (yet).
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

// Describe returns a sentence about the object: its size, origin and end.
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
	// Known: the run determines the value; otherwise it is arbitrary, because the run never reads it.
	Known bool
	// Written: by the program or an input; false for memory that was never written.
	Written bool
	Pointer bool // part of a pointer to an object
}

// Memory returns the bytes [off, off+n) of an object that are inside it.
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

// ObjectValue returns an object as a value of its variable's type; false if it has no type.
func (r *Inspector) ObjectValue(number int) (Value, bool) {
	o := r.Journal.Object(number)
	if o == nil || o.DIType == nil {
		return Value{}, false
	}
	return Value{r: r, typ: o.DIType, obj: o}, true
}
