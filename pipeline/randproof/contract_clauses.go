package randproof

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// contractClause is a derived clause: lo <= number of the observable <= hi, with either bound optional.
type contractClause struct {
	observable
	lo, hi *int64
	// changed: an observed constant was changed, so that some execution violates the clause.
	changed bool
}

const result = "__CPROVER_return_value"

func oldOf(e string) string { return "__CPROVER_old(" + e + ")" }

// observe chooses the observables of a function's return.
func (g *contractGenerator) observe() {
	f := g.f
	if f.name == "main" {
		return // its assertions have their own observables
	}
	var values, others []string // candidates for clauses, and their terms of comparison
	if f.ret != "" {
		values = append(values, result, result)
	}
	arrays := []contractParam{}
	for _, p := range f.params {
		switch p.kind {
		case "num":
			others = append(others, p.name)
		case "cell":
			values = append(values, "*"+p.name)
			others = append(others, oldOf("*"+p.name))
		case "box":
			values = append(values, p.name+"->used", p.name+"->last")
			others = append(others, oldOf(p.name+"->used"), p.name+"->size")
		case "array":
			if p.longest > 0 {
				others = append(others, p.length)
			}
			arrays = append(arrays, p)
		}
	}
	if f.global >= 0 {
		values = append(values, "g")
		others = append(others, oldOf("g"))
	}
	add := func(o observable) { f.observables = append(f.observables, g.id(o)) }
	for _, v := range values {
		add(observable{expr: g.number64(v)})
		for _, o := range others {
			e := g.number64(v) + g.pick(" - ", " - ", " - 2 * ", " + ") + g.number64(o)
			when := ""
			if g.chance(25) {
				when = "x " + g.pick(">", "<=", "==") + " " + g.pick("1", "3", "5")
			}
			add(observable{expr: e, when: when})
		}
	}
	for _, a := range arrays {
		g.elements(a.name, a.length, "k", others, add)
		add(observable{expr: g.number64(a.name + "[0]"), when: a.length + " > 0"})
		if f.ret != "" {
			add(observable{expr: fmt.Sprintf("%s[k] == %s", a.name, g.pick(result, "x")), over: a.length, any: true})
			add(observable{expr: fmt.Sprintf("%s - %s", g.number64(a.name+"[k]"), g.number64(result)), over: a.length})
		}
	}
	if len(arrays) > 1 {
		add(observable{expr: g.number64("a[k]") + " - " + g.number64("b[k]"), over: "n"})
	}
}

// elements adds observables of the elements of an array below a bound.
func (g *contractGenerator) elements(array, bound, k string, others []string, add func(observable)) {
	at := g.number64(array + "[" + k + "]")
	add(observable{expr: at, over: bound})
	add(observable{expr: at + " - (long)k", over: bound})
	for _, o := range others {
		if !strings.HasPrefix(o, "__CPROVER_old") && g.chance(60) {
			add(observable{expr: at + " - " + g.number64(o), over: bound})
		}
	}
	if g.chance(40) {
		add(observable{expr: at, over: bound, when: "k > " + g.pick("0", "1", "x")})
	}
}

func (g *contractGenerator) number64(e string) string { return "(long)" + e }

// observeLoop chooses the observables of a loop's invariants.
func (g *contractGenerator) observeLoop(l *contractLoop, up bool) {
	add := func(o observable) { l.observables = append(l.observables, g.id(o)) }
	for _, v := range g.locals {
		add(observable{expr: g.number64(v)})
		add(observable{expr: g.number64(v) + g.pick(" - ", " - 2 * ", " - 3 * ", " + ") + "(long)i"})
		if v == "r" && g.chance(50) {
			l.entries = append(l.entries, v)
			add(observable{expr: "(long)r - (long)__CPROVER_loop_entry(r)"})
			add(observable{expr: "(long)r - (long)__CPROVER_loop_entry(r) - 2 * (long)i"})
		}
	}
	for _, a := range g.arrays {
		if up {
			g.elements(a.name, "i", "k", []string{"x", "r"}, add)
		}
	}
	if len(g.arrays) > 1 && up {
		add(observable{expr: g.number64("a[k]") + " - " + g.number64("b[k]"), over: "i"})
	}
	for _, e := range l.always { // also derived, as candidates for changed clauses
		if lo, hi, ok := strings.Cut(e, " <= "); ok && strings.HasPrefix(l.init, "unsigned i = 0") {
			add(observable{expr: fmt.Sprintf("(long)(%s) - (long)%s", hi, lo)})
		}
	}
}

// assertion adds an assertion of the harness about variables in scope.
func (g *contractGenerator) assertion() {
	ops := g.operands()
	e := g.number64(g.pick(g.locals...))
	if g.chance(70) {
		e += g.pick(" - ", " + ", " - 2 * ") + g.number64(g.pick(ops...))
	}
	o := g.id(observable{expr: e})
	*g.lines = append(*g.lines, contractLine{check: &o, indent: g.indent})
}

// seen has the values of an observable in the runs.
type seen struct {
	times    int64
	min, max int64
}

// derive returns a clause about the observed values: a true one, or one with a changed constant.
func derive(o observable, s seen, r *rand.Rand) (contractClause, bool) {
	c := contractClause{observable: o}
	if s.times == 0 {
		return c, false
	}
	lo, hi := s.min, s.max
	c.changed = r.IntN(100) < 30
	if o.any { // 1 if the condition holds for some k
		if lo == 0 && !c.changed {
			return c, false
		}
		one := int64(1)
		c.lo, c.changed = &one, lo == 0
		return c, true
	}
	switch {
	case lo == hi && r.IntN(10) < 8:
		if c.changed {
			lo += int64(1 - 2*r.IntN(2))
			hi = lo
		}
		c.lo, c.hi = &lo, &hi
	default:
		which := 1 + r.IntN(3) // bit 0: lower bound, bit 1: upper bound
		if c.changed {
			if bit := 1 + r.IntN(2); bit&which == 1 {
				lo++
			} else if bit&which == 2 || which == 2 {
				hi--
			} else {
				lo++
			}
		} else if r.IntN(4) == 0 {
			lo -= int64(r.IntN(3))
			hi += int64(r.IntN(3))
		}
		if which&1 != 0 {
			c.lo = &lo
		}
		if which&2 != 0 {
			c.hi = &hi
		}
	}
	return c, true
}

// worth returns the weight of a clause about observed values: the narrower their range, the higher.
func worth(o observable, s seen) int {
	switch width := s.max - s.min; {
	case s.times == 0:
		return 0
	case width == 0:
		return 12
	case width < 20:
		return 8
	case width < 300:
		return 4
	case s.min == 0 || s.max == 0 || o.over != "":
		return 3
	}
	return 1
}

// deriveAll returns up to count clauses about observables.
func deriveAll(os []observable, saw map[int]seen, count int, r *rand.Rand) (clauses []contractClause) {
	remaining := append([]observable{}, os...)
	for len(clauses) < count {
		total := 0
		for _, o := range remaining {
			total += worth(o, saw[o.id])
		}
		if total == 0 {
			return clauses
		}
		at := r.IntN(total)
		for i, o := range remaining {
			if at -= worth(o, saw[o.id]); at < 0 {
				if c, ok := derive(o, saw[o.id], r); ok {
					clauses = append(clauses, c)
				} else {
					count--
				}
				remaining = append(remaining[:i:i], remaining[i+1:]...)
				break
			}
		}
	}
	return clauses
}

// condition returns the clause's condition, in the contract language with engine, otherwise with the macros of
// native/contracts.c.
func (c *contractClause) condition(engine bool) string {
	var parts []string
	switch {
	case c.any:
		parts = []string{c.expr}
	case c.lo != nil && c.hi != nil && *c.lo == *c.hi:
		parts = []string{fmt.Sprintf("%s == %d", c.expr, *c.lo)}
	default:
		if c.lo != nil {
			parts = append(parts, fmt.Sprintf("%d <= %s", *c.lo, c.expr))
		}
		if c.hi != nil {
			parts = append(parts, fmt.Sprintf("%s <= %d", c.expr, *c.hi))
		}
	}
	return c.scoped(strings.Join(parts, " && "), engine)
}

// scoped adds the condition and the quantifier of an observable to a condition.
func (o *observable) scoped(e string, engine bool) string {
	switch {
	case o.over != "" && engine:
		word, then := "__CPROVER_forall", " ==> "
		if o.any {
			word, then = "__CPROVER_exists", " && "
		}
		bound := "k < " + o.over
		if o.when != "" {
			bound = "(" + bound + " && " + o.when + ")"
		}
		return fmt.Sprintf("%s { unsigned k; %s%s(%s) }", word, bound, then, e)
	case o.over != "":
		word := "ALL"
		if o.any {
			word = "ANY"
		}
		if o.when != "" {
			e = fmt.Sprintf("!(%s) || (%s)", o.when, e)
		}
		return fmt.Sprintf("%s(k, %s, %s)", word, o.over, e)
	case o.when != "" && engine:
		return fmt.Sprintf("%s ==> (%s)", o.when, e)
	case o.when != "":
		return fmt.Sprintf("!(%s) || (%s)", o.when, e)
	}
	return e
}
