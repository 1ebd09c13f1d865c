package unfold

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/guard"
)

// value is the content of a register. It is a term for integers (i1 is a Boolean), floats (their bits) and pointers
// (as wide as an address), or a list of elements for structs, arrays and vectors.
type value struct {
	t smt.Term
	e []value
	// lazy is an arbitrary value that no instruction has read so far: the content of a promoted local before its first
	// store. Its symbol is created on demand.
	lazy *seair.Input
}

func scalarSort(t *llvmir.Type) smt.Sort {
	switch t.Kind {
	case llvmir.IntType:
		if t.Bits == 1 {
			return smt.Bool
		}
		return smt.BV(t.Bits)
	case llvmir.FloatType:
		return smt.BV(t.Bits)
	case llvmir.PointerType:
		return smt.BV(int(t.Size) * 8)
	}
	return smt.BV(64)
}

// elements returns the element types and byte offsets of an aggregate type.
func elements(t *llvmir.Type) (types []*llvmir.Type, offsets []int64) {
	if t.Kind == llvmir.StructType {
		return t.Fields, t.Offsets
	}
	for i := range t.Len {
		types = append(types, t.Elem)
		size := t.Elem.Size
		if t.Kind == llvmir.VectorType {
			size = t.Elem.StoreSize
		}
		offsets = append(offsets, i*size)
	}
	return types, offsets
}

func isAggregate(t *llvmir.Type) bool {
	return t.Kind == llvmir.StructType || t.Kind == llvmir.ArrayType || t.Kind == llvmir.VectorType
}

// force creates the symbol of a lazy value of type t.
func (r *run) force(v value, t *llvmir.Type) value {
	if v.lazy == nil {
		return v
	}
	return value{t: r.fromBits(r.lazyWord(v.lazy), t)}
}

// fromBits extracts a scalar of type t from the bytes that hold it in memory.
func (r *run) fromBits(bits smt.Term, t *llvmir.Type) smt.Term {
	if s := scalarSort(t); s.IsBool() {
		return r.c.Eq(r.c.Extract(bits, 0, 0), r.c.Int(1, 1))
	} else if s.Width() < r.c.Width(bits) {
		return r.c.Extract(bits, s.Width()-1, 0)
	}
	return bits
}

// toBits returns the bytes that hold a scalar of type t in memory.
func (r *run) toBits(v smt.Term, t *llvmir.Type) smt.Term {
	w := int(t.StoreSize) * 8
	if r.c.Sort(v).IsBool() {
		return r.c.BoolToBV(v, w)
	}
	return r.c.Zext(v, w)
}

// selectValue returns ite(cond, a, b).
func (r *run) selectValue(cond smt.Term, a, b value) value {
	switch {
	case r.c.IsTrue(cond):
		return a
	case r.c.IsFalse(cond):
		return b
	case a.lazy != nil && a.lazy == b.lazy:
		return a
	case a.lazy != nil || b.lazy != nil:
		return r.selectValue(cond, r.forceLike(a, b), r.forceLike(b, a))
	case a.t != 0 && b.t != 0:
		if a.t == b.t {
			return a
		}
		return value{t: r.c.Ite(cond, a.t, b.t)}
	case len(a.e) == len(b.e) && len(a.e) > 0:
		out := value{e: make([]value, len(a.e))}
		for i := range a.e {
			out.e[i] = r.selectValue(cond, a.e[i], b.e[i])
		}
		return out
	case a.t == 0 && a.e == nil: // undefined on that edge, so unused behind it
		return b
	}
	return a
}

// forceLike creates the symbol of a lazy value, in the shape of another value.
func (r *run) forceLike(v, like value) value {
	if v.lazy == nil {
		return v
	}
	if like.lazy != nil {
		return value{t: r.lazyWord(v.lazy)}
	}
	if like.t == 0 {
		return value{}
	}
	w := r.lazyWord(v.lazy)
	if s := r.c.Sort(like.t); s.IsBool() {
		return value{t: r.c.Eq(r.c.Extract(w, 0, 0), r.c.Int(1, 1))}
	} else if s.Width() < r.c.Width(w) {
		return value{t: r.c.Extract(w, s.Width()-1, 0)}
	}
	return value{t: w}
}

// lazyWord returns the symbol of a promoted local's initial content.
func (r *run) lazyWord(in *seair.Input) smt.Term {
	if in.Value == 0 {
		in.Value = r.c.Var(in.Name, smt.BV(in.Bits))
		r.inputMade[in.Value] = in.Guard
		if from, ok := r.leftOpen[in]; ok {
			r.mem.MayPoint(in.Value, from)
		}
		r.neverWritten.vars[in.Value] = true
		if r.noValue.inputs[in] {
			r.noValue.vars[in.Value] = true
		}
	}
	return in.Value
}

// undef returns a fresh arbitrary value of type t.
func (r *run) undef(t *llvmir.Type, p *path, site int) value {
	if isAggregate(t) {
		types, _ := elements(t)
		out := value{e: make([]value, len(types))}
		for i, et := range types {
			out.e[i] = r.undef(et, p, site)
		}
		return out
	}
	if p == nil {
		return value{t: r.c.Var("undef", scalarSort(t))}
	}
	return value{t: r.scalarInput(choice.Undef, p, site, "undef", scalarSort(t))}
}

// operand evaluates an operand of an instruction.
func (fr *frame) operand(in *llvmir.Instr, a llvmir.Operand, p *path) value {
	if a.Kind == llvmir.OperandReg {
		v := fr.regs[a.Reg]
		if v.lazy != nil {
			return fr.r.force(v, fr.fn.Alloca[a.Reg].ElemType)
		}
		if v.t == 0 && v.e == nil {
			return fr.r.undef(a.Type, p, in.ID)
		}
		v.t = fr.r.known.Apply(v.t)
		return v
	}
	if a.Const == nil {
		return value{}
	}
	if a.Const.Kind == llvmir.ConstExpr {
		fr.r.at, fr.r.atInstr = fr, in
		defer func() { fr.r.at, fr.r.atInstr = nil, nil }()
	}
	return fr.r.constantAt(a.Const, p, in.ID)
}

// scalar evaluates a scalar operand.
func (fr *frame) scalar(in *llvmir.Instr, a llvmir.Operand, p *path) smt.Term {
	return fr.operand(in, a, p).t
}

func (r *run) constant(k *llvmir.Const, p *path) value { return r.constantAt(k, p, 0) }

// constantAt evaluates a constant; each use of undef is a new value.
func (r *run) constantAt(k *llvmir.Const, p *path, site int) value {
	c := r.c
	switch k.Kind {
	case llvmir.ConstInt, llvmir.ConstFloat:
		if k.Kind == llvmir.ConstInt && k.Type.Bits == 1 {
			return value{t: c.BoolConst(k.Int.Sign() != 0)}
		}
		return value{t: c.Big(scalarSort(k.Type).Width(), k.Int)}
	case llvmir.ConstNull:
		return value{t: r.mem.Int(0)}
	case llvmir.ConstUndef:
		return r.undef(k.Type, p, site)
	case llvmir.ConstZero:
		if !isAggregate(k.Type) {
			return r.zero(k.Type)
		}
		types, _ := elements(k.Type)
		out := value{e: make([]value, len(types))}
		for i, t := range types {
			out.e[i] = r.zero(t)
		}
		return out
	case llvmir.ConstAggregate:
		out := value{e: make([]value, len(k.Elems))}
		for i, e := range k.Elems {
			out.e[i] = r.constantAt(e, p, site)
		}
		return out
	case llvmir.ConstData:
		out := value{e: make([]value, len(k.Data))}
		for i, b := range k.Data {
			out.e[i] = value{t: c.Int(8, uint64(b))}
		}
		return out
	case llvmir.ConstGlobal:
		base := r.globals[k.Global]
		if base == 0 {
			panic("unfold: variable " + k.Global.Name + " has no object: NeededGlobals missed a use")
		}
		return value{t: c.Add(base, r.mem.IntS(k.Offset))}
	case llvmir.ConstFunc:
		at := r.funcAddress(k.Func)
		if k.Func.Weak {
			at = c.Ite(r.defined(k.Func.Name), at, r.mem.Int(0))
		}
		return value{t: c.Add(at, r.mem.IntS(k.Offset))}
	case llvmir.ConstExpr:
		return r.constantExpr(k, p, site)
	}
	return r.undef(k.Type, p, site)
}

func (r *run) zero(t *llvmir.Type) value {
	if isAggregate(t) {
		types, _ := elements(t)
		out := value{e: make([]value, len(types))}
		for i, et := range types {
			out.e[i] = r.zero(et)
		}
		return out
	}
	if s := scalarSort(t); s.IsBool() {
		return value{t: r.c.False()}
	} else {
		return value{t: r.c.Int(s.Width(), 0)}
	}
}

// constantExpr evaluates a constant expression like the corresponding instruction.
func (r *run) constantExpr(k *llvmir.Const, p *path, site int) value {
	if k.Expr.Op == llvmir.OpUnsupported {
		r.inexpressible = k.Expr.Text
		return r.undef(k.Type, p, site)
	}
	in := *k.Expr
	in.ID, in.Type = site, k.Type
	fr := &frame{r: r, fn: &flow.Function{Func: &llvmir.Func{}}}
	if r.at != nil { // it is an operand of an instruction
		fr.fn, fr.site, in.Loc = r.at.fn, r.at.site, r.atInstr.Loc
	}
	if p == nil {
		p = &path{g: guard.Root(r.c), st: r.mem.NewState()}
	}
	v, ok := fr.pure(&in, p)
	if !ok {
		panic(fmt.Sprintf("unfold: constant expression with operation %d", in.Op))
	}
	return v
}

// funcAddress returns the base symbol of a function.
func (r *run) funcAddress(f *llvmir.Func) smt.Term {
	if t, ok := r.funcs[f]; ok {
		return t
	}
	// Functions are created before the entry runs (makeGlobals). A function that first appears later is in no state,
	// and needs to be in none.
	o := r.mem.NewObject(r.mem.NewState(), mem.Object{Kind: mem.Function, Name: f.Name, Size: r.mem.Int(0), Align: 16,
		Const: true,
		Fn:    len(r.funcIDs), Guard: r.c.True()}, r.mem.Zero(), r.c.True())
	r.funcIDs = append(r.funcIDs, f)
	r.funcs[f] = o.Base
	in := &seair.Input{Kind: choice.Object, Name: f.Name, Guard: r.c.True(), Value: o.Base, Object: o.ID}
	r.log.Inputs = append(r.log.Inputs, in)
	return o.Base
}

// defined returns a Boolean symbol: whether a weak function that the program lacks is defined elsewhere.
func (r *run) defined(name string) smt.Term {
	t, ok := r.prog.Defined[name]
	if !ok {
		t = r.c.Var("defined."+name, smt.Bool)
		r.prog.Defined[name] = t
	}
	return t
}

// load reads a value of type t.
func (fr *frame) load(st *mem.State, ptr smt.Term, t *llvmir.Type) value {
	r := fr.r
	if isAggregate(t) {
		types, offs := elements(t)
		out := value{e: make([]value, len(types))}
		for i, et := range types {
			out.e[i] = fr.load(st, r.c.Add(ptr, fr.r.mem.IntS(offs[i])), et)
		}
		return out
	}
	return value{t: r.fromBits(r.known.Apply(r.mem.Load(st, ptr, t.StoreSize)), t)}
}

// store writes a value of type t.
func (fr *frame) store(st *mem.State, ptr smt.Term, v value, t *llvmir.Type) {
	r := fr.r
	if isAggregate(t) {
		types, offs := elements(t)
		for i, et := range types {
			fr.store(st, r.c.Add(ptr, fr.r.mem.IntS(offs[i])), v.e[i], et)
		}
		return
	}
	r.mem.Store(st, ptr, r.toBits(v.t, t), t.StoreSize)
}
