package smt

import (
	"fmt"
	"iter"
	"maps"
)

// Model assigns values to variables and to finitely many points of functions. All others are zero or false.
type Model struct {
	vars  map[Term]Value
	funcs map[Func]*funcTable
}

type funcTable struct {
	at      map[string]int
	entries []funcEntry
}

type funcEntry struct{ arg, res Value }

// NewModel returns an empty model.
func NewModel() *Model { return &Model{vars: map[Term]Value{}, funcs: map[Func]*funcTable{}} }

// Clone returns a model with its own values of variables; it shares those of functions.
func (m *Model) Clone() *Model { return &Model{vars: maps.Clone(m.vars), funcs: m.funcs} }

// SetVar sets the value of the variable t.
func (m *Model) SetVar(t Term, v Value) { m.vars[t] = v }

// Var returns the value of the variable t, and whether the model has one.
func (m *Model) Var(t Term) (Value, bool) {
	v, ok := m.vars[t]
	return v, ok
}

func valueKey(v Value) string {
	if v.b != nil {
		return string(v.b.Bytes())
	}
	var b [8]byte
	n := 8
	for x := v.v; x != 0; x >>= 8 {
		n--
		b[n] = byte(x)
	}
	return string(b[n:])
}

// SetFunc sets the value of f at arg, and replaces an earlier one.
func (m *Model) SetFunc(f Func, arg, res Value) {
	t := m.funcs[f]
	if t == nil {
		t = &funcTable{at: map[string]int{}}
		m.funcs[f] = t
	}
	k := valueKey(arg)
	if i, ok := t.at[k]; ok {
		t.entries[i].res = res
		return
	}
	t.at[k] = len(t.entries)
	t.entries = append(t.entries, funcEntry{arg, res})
}

// Func returns the value of f at arg, and whether the model has one.
func (m *Model) Func(f Func, arg Value) (Value, bool) {
	if t := m.funcs[f]; t != nil {
		if i, ok := t.at[valueKey(arg)]; ok {
			return t.entries[i].res, true
		}
	}
	return Value{}, false
}

// FuncEntries yields the points of f in the model, argument and result, in the order in which they were set.
func (m *Model) FuncEntries(f Func) iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if t := m.funcs[f]; t != nil {
			for _, e := range t.entries {
				if !yield(e.arg, e.res) {
					return
				}
			}
		}
	}
}

// Evaluator computes the values of terms under a model and memoizes them.
//
// After a change of the model, Forget must be called. Terms that are built later may be evaluated, too.
type Evaluator struct {
	c     *Context
	m     *Model
	pages []*evalPage
	stack []Term
	vals  []Value
}

// Model returns the model of the evaluator.
func (e *Evaluator) Model() *Model { return e.m }

// Forget clears the memoized values after a change of the model.
func (e *Evaluator) Forget() {
	for _, p := range e.pages {
		if p != nil {
			clear(p.done[:])
		}
	}
}

// evalPageSize is the number of terms for which values are allocated at once.
const evalPageSize = 512

type evalPage struct {
	done [evalPageSize]bool
	val  [evalPageSize]Value
}

// NewEvaluator returns an evaluator under m; a nil model assigns zero to everything.
func (c *Context) NewEvaluator(m *Model) *Evaluator {
	if m == nil {
		m = NewModel()
	}
	return &Evaluator{c: c, m: m}
}

func (e *Evaluator) get(t Term) (Value, bool) {
	p := int(t) / evalPageSize
	if p >= len(e.pages) || e.pages[p] == nil {
		return Value{}, false
	}
	pg := e.pages[p]
	return pg.val[t%evalPageSize], pg.done[t%evalPageSize]
}

func (e *Evaluator) put(t Term, v Value) {
	p := int(t) / evalPageSize
	if p >= len(e.pages) {
		e.pages = append(e.pages, make([]*evalPage, p-len(e.pages)+1)...)
	}
	if e.pages[p] == nil {
		e.pages[p] = new(evalPage)
	}
	e.pages[p].val[t%evalPageSize] = v
	e.pages[p].done[t%evalPageSize] = true
}

// Eval returns the value of t. It is not recursive, so any depth is safe.
func (e *Evaluator) Eval(t Term) Value {
	if v, ok := e.get(t); ok {
		return v
	}
	c := e.c
	e.stack = append(e.stack[:0], t)
next:
	for len(e.stack) > 0 {
		t := e.stack[len(e.stack)-1]
		if _, ok := e.get(t); ok {
			e.stack = e.stack[:len(e.stack)-1]
			continue
		}
		n := &c.nodes[t]
		args := c.Args(t)
		e.vals = e.vals[:0]
		switch n.op {
		case OpInvalid:
			panic("smt: Eval: no term")
		case OpIte: // only the branch that is taken
			cond, ok := e.get(args[0])
			if !ok {
				e.stack = append(e.stack, args[0])
				continue next
			}
			k := args[2]
			if cond.v != 0 {
				k = args[1]
			}
			v, ok := e.get(k)
			if !ok {
				e.stack = append(e.stack, k)
				continue next
			}
			e.put(t, v)
			e.stack = e.stack[:len(e.stack)-1]
			continue next
		}
		ready := true
		for _, a := range args {
			v, ok := e.get(a)
			if !ok {
				e.stack = append(e.stack, a)
				ready = false
			}
			e.vals = append(e.vals, v)
		}
		if !ready {
			continue
		}
		var v Value
		switch n.op {
		case OpTrue, OpFalse, OpConst:
			v = c.constValue(t)
		case OpVar:
			v = e.variable(t, n)
		case OpApply:
			res, ok := e.m.Func(Func(n.aux), e.vals[0])
			if ok && res.sort != n.sort {
				panic(fmt.Sprintf("smt: model gives %s the value %v, want sort %v", c.funcs[n.aux].name, res, n.sort))
			}
			v = res
			v.sort = n.sort
		default:
			v = applyOp(n.op, n.sort, n.aux, e.vals)
		}
		e.put(t, v)
		e.stack = e.stack[:len(e.stack)-1]
	}
	v, _ := e.get(t)
	return v
}

func (e *Evaluator) variable(t Term, n *node) Value {
	v, ok := e.m.vars[t]
	if !ok {
		return Value{sort: n.sort}
	}
	if v.sort != n.sort {
		panic(fmt.Sprintf("smt: model gives %s the value %v, want sort %v", e.c.VarName(t), v, n.sort))
	}
	if low := e.c.vars[n.aux].low; low > 0 {
		b := v.Big()
		b.Rsh(b, uint(low))
		return BigValueOf(int(n.sort), b.Lsh(b, uint(low)))
	}
	return v
}

// EvalBool reports whether a Bool is true under the model.
func (e *Evaluator) EvalBool(t Term) bool {
	e.c.mustBool("EvalBool", t)
	return e.Eval(t).v != 0
}

// EvalUint returns the low 64 bits of the value of a bit-vector.
func (e *Evaluator) EvalUint(t Term) uint64 { return e.Eval(t).Uint64() }
