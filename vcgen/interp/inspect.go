package interp

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// FrameView is a frame of the call stack at the present moment of a Recording.
type FrameView struct {
	Number int // for FrameRecord
	Func   *llvmir.Func
	// Loc is the place that is about to be executed, or the call of the frame above; the
	// function's own where the compiler gave none.
	Loc *llvmir.Loc
	fr  *frame
}

// Stack returns the frames, the youngest first.
func (r *Recording) Stack() []FrameView {
	out := make([]FrameView, 0, len(r.m.frames))
	for i := len(r.m.frames) - 1; i >= 0; i-- {
		fr := r.m.frames[i]
		out = append(out, FrameView{Number: fr.serial, Func: fr.fn, Loc: r.locOf(i), fr: fr})
	}
	return out
}

// locOf is the place of the i-th frame. An instruction without one has that of the next one
// in its block that has, for it prepares that.
func (r *Recording) locOf(i int) *llvmir.Loc {
	fr, at := r.m.frames[i], r.m.at
	if i+1 < len(r.m.frames) {
		at = r.m.frames[i+1].call
	} else if at != nil && (at.Loc == nil || at.Loc.Line == 0) {
		for _, in := range fr.block.Instrs[min(fr.pc, len(fr.block.Instrs)):] {
			if in.Loc != nil && in.Loc.Line > 0 && in.Op != llvmir.OpDbgDeclare {
				return in.Loc
			}
		}
	}
	return locOf(fr.fn, at)
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
func (r *Recording) Locals(f FrameView) []Variable {
	var out []Variable
	hidden := map[string]bool{}
	for k := len(f.fr.bound) - 1; k >= 0; k-- {
		b := f.fr.bound[k]
		if hidden[b.v.Name] || b.v.Name == "" || f.Loc == nil || !inScope(b.v.Scope, f.Loc.Scope) || b.addr.obj == nil || !b.addr.obj.live {
			continue
		}
		hidden[b.v.Name] = true
		out = append([]Variable{{Name: b.v.Name, Arg: b.v.Arg > 0, Line: b.v.Line,
			Value: Value{r: r, typ: b.v.Type, obj: b.addr.obj, off: b.addr.offset()}}}, out...)
	}
	return out
}

// Globals returns the user's variables with static storage, without constants.
func (r *Recording) Globals() []Variable {
	var out []Variable
	for _, g := range r.m.m.Globals {
		if g.Constant || g.DIType == nil || g.Loc == nil || !r.m.opts.UserFile(g.Loc.File) {
			continue
		}
		out = append(out, Variable{Name: g.SourceName, Line: g.Loc.Line, Value: r.globalValue(g)})
	}
	return out
}

// globalValue is a variable with static storage. One that the run has not used yet has no
// object: its value is that of its initialiser, where that holds no address.
func (r *Recording) globalValue(g *llvmir.Global) Value {
	v := Value{r: r, typ: g.DIType, obj: r.m.globals[g]}
	if v.obj != nil {
		return v
	}
	if g.Init == nil || holdsAddress(g.Init) {
		v.broken = "not used yet"
		return v
	}
	v.obj = &object{kind: static, name: g.Name, source: g.SourceName, dtype: g.DIType, size: uint64(g.Type.Size), live: true, global: g, made: g.Loc}
	r.m.initialise(v.obj, 0, g.Init)
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
func (r *Recording) Object(number int) (Object, bool) {
	o := r.object(number)
	if o == nil {
		return Object{}, false
	}
	out := Object{Number: number, Name: o.name, Size: o.size, Address: o.base, Live: o.live, ReadOnly: o.readonly, Made: o.made, Ended: o.ended, Type: o.dtype}
	switch o.kind {
	case onHeap:
		out.Storage, out.Name = "heap", fmt.Sprintf("%s#%d", o.maker, o.number)
	case onStack:
		out.Storage = "automatic"
	default:
		out.Storage = "static"
	}
	if o.source != "" {
		out.Name = o.source
	}
	if o.made != nil && o.made.Scope != nil && o.kind != static {
		out.Function = o.made.Scope.Function
	}
	return out, true
}

// Describe is a sentence about the object: its size, origin and end.
func (o Object) Describe() string {
	s := fmt.Sprintf("%s of %s", o.Name, bytesWord(o.Size))
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
func (r *Recording) Memory(object int, off, n uint64) []Byte {
	o := r.object(object)
	if o == nil || off >= o.size {
		return nil
	}
	out := make([]Byte, min(n, o.size-off))
	for i := range out {
		c, ok := objectSource{o}.at(off + uint64(i))
		out[i] = Byte{Value: c.b, Known: ok, Written: o.stateAt(off+uint64(i)) != uninitialized, Pointer: c.ref.obj != nil}
	}
	return out
}

// stateAt is the shadow of a byte, also of one that nobody has looked at.
func (o *object) stateAt(off uint64) byteState {
	if c, ok := o.known(off); ok {
		return c.state
	}
	for k := len(o.layers) - 1; k >= 0; k-- {
		if l := &o.layers[k]; l.lo <= off && off < l.hi {
			switch {
			case l.copied != nil:
				return l.copied.stateAt(off + l.shift)
			default:
				return l.state
			}
		}
	}
	return written
}

// Accused is the access that the violation is about: N bytes at Off of an object, which may
// lie outside of it.
type Accused struct {
	Object int // 0 for none
	Off    int64
	N      uint64
	Write  bool
}

// Accused returns what the violation of the run is about; Object is 0 where it is about no
// object.
func (r *Recording) Accused() Accused { return r.accused }

// accuse notes the access that is being checked; o is nil when it is to no object.
func (m *machine) accuse(o *object, off, n uint64, write bool) {
	if m.rec != nil && m.rec.stream != nil {
		if o == nil {
			m.rec.accused = Accused{}
			return
		}
		m.rec.accused = Accused{Object: int(o.serial), Off: int64(off), N: n, Write: write}
		m.rec.accusedAt = m.out.Executed
	}
}

// accuseArray notes the element that the failing check of an index, whose handler is being
// called, was made for: the address computation where the check leads to when it holds.
func (c *call) accuseArray() {
	m, fr := c.m, c.fr
	if m.rec == nil || m.rec.stream == nil || fr.prev < 0 {
		return
	}
	t := fr.fn.Blocks[fr.prev].Term()
	if t.Op != llvmir.OpCondBr {
		return
	}
	to := t.Succs[0]
	if to == fr.block.Index {
		to = t.Succs[1]
	}
	ahead := &frame{fn: fr.fn, info: fr.info, regs: append([]value(nil), fr.regs...), block: fr.fn.Blocks[to]}
	for _, in := range ahead.block.Instrs {
		switch in.Op {
		case llvmir.OpGEP:
			v := m.compute(ahead, in)
			if in.ElemType.Kind == llvmir.ArrayType && len(in.GEP.Scales) > 0 {
				if v.whole() {
					m.accuse(v.obj, v.offset(), uint64(in.ElemType.Elem.Size), false)
				}
				return
			}
			ahead.regs[in.Dst] = v
		case llvmir.OpBitCast, llvmir.OpSExt, llvmir.OpZExt:
			ahead.regs[in.Dst] = m.compute(ahead, in)
		case llvmir.OpLoad:
			p := m.operand(ahead, in, in.Args[0])
			n := uint64(in.Type.StoreSize)
			if !p.whole() || p.obj.kind == function || p.obj.size < n || p.offset() > p.obj.size-n {
				return
			}
			ahead.regs[in.Dst], _ = m.fetch(p.obj, p.offset(), in.Type)
		default:
			return
		}
	}
}

// ObjectValue is an object as a value of its variable's type; false where it has none.
func (r *Recording) ObjectValue(number int) (Value, bool) {
	o := r.object(number)
	if o == nil || o.dtype == nil {
		return Value{}, false
	}
	return Value{r: r, typ: o.dtype, obj: o}, true
}
