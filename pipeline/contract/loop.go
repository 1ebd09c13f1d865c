package contract

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/language"
)

// What is executed before a loop's condition is an expression of type void, the head: at each arrival the invariant is
// checked; what comes of it then, __unitproof_loops() says. Where loops are executed, each arrival goes on. Where they
// are cut, the first evaluation of the condition is that of the program: a loop whose condition does not hold at first
// is not entered, and nothing is asked of it. Behind a condition that holds stands the entry: the invariant has to
// have held at the first arrival, what the loop assigns is made arbitrary, the invariant is assumed, and the condition
// is evaluated in that state. An arbitrary iteration follows; the next arrival ends the execution.
//
// A condition that cannot be written twice, and one that stands at the end, are evaluated behind a first iteration
// that is the program's, and the entry is the second arrival. CBMC treats all loops like that, and invariants that were
// written for it may rest on it: what the first iteration found out about memory that the loop does not assign is known
// in all others. So there is a second way of cutting, with twice the code, in which all loops are entered late.
//
// Cutting is sound since a write outside of what is made arbitrary is a violation (the frame, which begins at the
// first arrival and is left with the scope of unitproof_loop, however the loop is left), so what is not made arbitrary
// is as it was before the loop, and the state of the first arrival is one of those that the entry leads to.

// What a program asks of how its loops are executed.
var (
	loopsCut    = fmt.Sprintf("__unitproof_loops() >= %d", language.LoopsCut)
	loopsPeeled = fmt.Sprintf("__unitproof_loops() == %d", language.LoopsPeeled)
)

// entersLate tells whether the entry of a loop is the second arrival at its head.
func (c *conditions) entersLate(l loop, cond span) bool {
	fixed := cond.lo == cond.hi || cond.hi == cond.lo+1 && c.word(cond.lo) == "" // a number
	for i := cond.lo; i < cond.hi; i++ {
		fixed = fixed || c.is(i, "{")
	}
	return l.word == "do" || fixed
}

// loopHead writes the head.
func (c *conditions) loopHead(l loop, s scope, late bool) error {
	c.ours("__extension__({ if (__unitproof_loops()) { __unitproof_frame_pause(); if (unitproof_first) {")
	if late {
		c.ours(" if (unitproof_first > 1) {")
	} else {
		c.ours(" if (unitproof_first == 1 + (%s)) {", loopsPeeled)
	}
	if err := c.firstArrival(l, s); err != nil {
		return err
	}
	if late {
		c.ours(" unitproof_first--; } else {")
		c.heldAtFirst(l)
		if err := c.loopEntry(l, s); err != nil {
			return err
		}
		c.ours(" unitproof_first = 0; }") // what the loop writes is arbitrary, this variable among it
	} else {
		c.ours(" }")
	}
	c.ours(" } else {")
	if err := c.invariants(l, s); err != nil {
		return err
	}
	if err := c.variants(l, s); err != nil {
		return err
	}
	c.ours(" if (%s) __unitproof_stop();", loopsCut)
	if err := c.measures(l, s); err != nil {
		return err
	}
	c.ours(" } __unitproof_frame_go_on(); } })")
	return nil
}

// out is the label behind a loop, which says nothing about what stands before the function.
func (c *conditions) out(l loop) string { return "unitproof_out_" + itoa(l.start-c.outermost(l)) }

// loopEntered writes what follows the head: the condition, the entry, and where that leads to an arbitrary state, the
// condition once more. A loop that ends is left by goto: behind an expression, its state would be one with that of a
// loop that goes on.
//
// Where all loops are entered late, what the invariant says of the first arrival is asked there, since the first
// iteration may leave the loop. The second arrival is entered whatever the condition says: the arbitrary iteration that
// follows stands for the first one, too, which may be the last.
func (c *conditions) loopEntered(l loop, s scope, cond span) error {
	holds := func() {
		c.to(cond.lo)
		c.w.text("if (")
		for i := cond.lo; i < cond.hi; i++ {
			c.token(i)
		}
		c.w.text(") {} else goto %s;", c.out(l))
	}
	c.ours("; if (unitproof_first != 1 || !(%s)) {", loopsPeeled)
	holds()
	c.ours(" } if (unitproof_first && __unitproof_loops()) { __unitproof_frame_pause();"+
		" if (unitproof_first > 1 || !(%s)) {", loopsPeeled)
	c.heldAtFirst(l)
	c.ours(" } if (unitproof_first > 1) { unitproof_first--; __unitproof_frame_go_on(); } else {")
	if err := c.loopEntry(l, s); err != nil {
		return err
	}
	c.ours(" unitproof_first = 0; __unitproof_frame_go_on(); if (%s) {", loopsCut)
	holds()
	c.ours(" } } } }), 1")
	return nil
}

// firstArrival writes what happens when the head is arrived at first.
func (c *conditions) firstArrival(l loop, s scope) error {
	held := 0
	for _, cl := range l.clauses {
		if cl.kind != invariant {
			continue
		}
		c.clause(cl)
		c.w.text("unitproof_held_%d = (_Bool)(", held)
		if err := c.condition(cl.open+1, cl.close, s, must); err != nil {
			return err
		}
		c.w.text(");")
		held++
	}
	names, err := c.targets(l.clauses, s)
	if err != nil {
		return err
	}
	c.ours(" __unitproof_frame_begin(1);")
	for k, t := range names {
		c.assignsClause(l)
		c.w.text(" __unitproof_frame_add(unitproof_at_%[1]d = %[2]s_at, unitproof_size_%[1]d = %[2]s_size);", k, t)
	}
	if !c.assignsClause(l) {
		c.ours(" __unitproof_frame_written(0);")
	}
	return nil
}

// assignsClause goes to the place of the clause that names what the loop writes; there is none where that is found out.
func (c *conditions) assignsClause(l loop) (given bool) {
	for _, cl := range l.clauses {
		if cl.kind == assigns {
			c.clause(cl)
			return true
		}
	}
	return false
}

// heldAtFirst writes the checks that the invariants held at the first arrival.
func (c *conditions) heldAtFirst(l loop) {
	held := 0
	for _, cl := range l.clauses {
		if cl.kind == invariant {
			c.clause(cl)
			c.w.text("__unitproof_invariant(unitproof_held_%d, 1, %s);", held, c.quote(cl))
			held++
		}
	}
}

// loopEntry writes what happens when a loop is entered, behind those checks.
func (c *conditions) loopEntry(l loop, s scope) error {
	c.ours(" if (%s) {", loopsCut)
	if c.assignsClause(l) {
		n, err := c.countTargets(l.clauses)
		if err != nil {
			return err
		}
		for k := range n {
			c.w.text(" __unitproof_havoc((void *)unitproof_at_%[1]d, unitproof_size_%[1]d);", k)
		}
		c.ours(havocErrno)
	} else {
		c.ours(" __unitproof_frame_written(1);")
	}
	c.ours(" __unitproof_assuming(%d);", language.AssumesInvariant)
	if err := c.boundPointers(l, s); err != nil {
		return err
	}
	for _, cl := range l.clauses {
		if cl.kind != invariant {
			continue
		}
		c.clause(cl)
		c.w.text("__unitproof_assume((_Bool)(")
		assume := s
		assume.use = assumed
		if err := c.condition(cl.open+1, cl.close, assume, must); err != nil {
			return err
		}
		c.w.text("));")
	}
	c.ours(" __unitproof_assuming(%d); }", language.AssumesNothing)
	return c.measures(l, s) // which a loop that is not entered does not have to have
}

// invariants writes the checks of a loop's invariants behind an iteration.
func (c *conditions) invariants(l loop, s scope) error {
	for _, cl := range l.clauses {
		if cl.kind != invariant {
			continue
		}
		c.clause(cl)
		c.w.text("__unitproof_invariant((_Bool)(")
		if err := c.condition(cl.open+1, cl.close, s, must); err != nil {
			return err
		}
		c.w.text("), 0, %s);", c.quote(cl))
	}
	return nil
}

// variants writes the checks that what a loop decreases went down: the first that differs has to be smaller, and not
// below zero.
func (c *conditions) variants(l loop, s scope) error {
	measure := 0
	for _, cl := range l.clauses {
		if cl.kind != decreases {
			continue
		}
		list := c.arguments(cl.open+1, cl.close)
		c.clause(cl)
		c.w.text("__unitproof_variant((_Bool)(")
		for k, m := range list { // without branches, of which traces would tell
			old := "unitproof_measure_" + itoa(measure+k)
			for _, piece := range []string{"(((", ") < " + old + " & " + old + " >= 0) | (((", ") == " + old + ") & "} {
				c.w.text("%s", piece)
				if piece[len(piece)-1] == '(' {
					if err := c.condition(m.lo, m.hi, s, free); err != nil {
						return err
					}
				}
			}
		}
		c.w.text("0")
		for range list {
			c.w.text("))")
		}
		c.w.text("), %s);", c.quote(cl))
		measure += len(list)
	}
	return nil
}

// measures keeps what a loop decreases.
func (c *conditions) measures(l loop, s scope) error {
	measure := 0
	for _, cl := range l.clauses {
		if cl.kind != decreases {
			continue
		}
		for _, m := range c.arguments(cl.open+1, cl.close) {
			c.ours(" unitproof_measure_%d = (", measure)
			if err := c.condition(m.lo, m.hi, s, free); err != nil {
				return err
			}
			c.w.text(");")
			measure++
		}
	}
	return nil
}

// boundPointers gives pointers that the loop assigns the values that the invariant says they have, `p == e`: as
// arbitrary addresses they would be no pointers to an object, whatever they are equal to.
func (c *conditions) boundPointers(l loop, s scope) error {
	assigned := map[string]bool{}
	for _, cl := range l.clauses {
		if cl.kind == assigns {
			for _, t := range c.arguments(cl.open+1, cl.close) {
				if t.hi == t.lo+1 {
					assigned[c.word(t.lo)] = true
				}
			}
		}
	}
	delete(assigned, "")
	var bind func(lo, hi int) error
	bind = func(lo, hi int) error {
		if c.is(lo, "(") && c.partner[lo] == hi-1 {
			return bind(lo+1, hi-1)
		}
		if c.find(lo, hi, ",", ";", "=", "?", "<==>", "==>", "||") >= 0 {
			return nil
		}
		if at := c.find(lo, hi, "&&"); at >= 0 {
			if err := bind(lo, at); err != nil {
				return err
			}
			return bind(at+1, hi)
		}
		at := c.find(lo, hi, "==")
		if at < 0 || c.find(lo, hi, "!=", "<", ">", "<=", ">=", "&", "|", "^") >= 0 || c.find(at+1, hi, "==") >= 0 {
			return nil
		}
		for _, side := range [][2]span{{{lo, at}, {at + 1, hi}}, {{at + 1, hi}, {lo, at}}} {
			name, value := c.words(side[0].lo, side[0].hi), side[1]
			itself := false
			for i := value.lo; i < value.hi; i++ {
				if c.word(i) == "__CPROVER_loop_entry" && c.is(i+1, "(") && c.partner[i+1] > i {
					i = c.partner[i+1] // what it was before
					continue
				}
				itself = itself || c.word(i) == name || c.word(i) != "" && assigned[c.word(i)] && c.is(i+1, "[")
			}
			if !assigned[name] || itself {
				continue
			}
			delete(assigned, name)
			c.to(lo)
			c.w.text("(void)__builtin_choose_expr(__builtin_classify_type(%[1]s) == 5, *(void **)(void *)&%[1]s = (void *)"+
				"__builtin_choose_expr(__builtin_classify_type(%[1]s) == 5, (", name)
			if err := c.condition(value.lo, value.hi, s, free); err != nil {
				return err
			}
			c.w.text("), 0), 0);")
			return nil
		}
		return nil
	}
	for _, cl := range l.clauses {
		if cl.kind != invariant {
			continue
		}
		if err := bind(cl.open+1, cl.close); err != nil {
			return err
		}
	}
	return nil
}

// loopBegin writes what is executed once before a loop.
func (c *conditions) loopBegin(l loop, s *scope, late bool) error {
	s.old = map[int]string{}
	for _, cl := range l.clauses {
		if cl.kind == invariant || cl.kind == decreases || cl.kind == assigns {
			if err := c.save("__CPROVER_loop_entry", "unitproof_entry", cl.open+1, cl.close, s); err != nil {
				return err
			}
		}
	}
	measure := 0
	for _, cl := range l.clauses {
		if cl.kind != decreases {
			continue
		}
		for _, m := range c.arguments(cl.open+1, cl.close) {
			c.ours(" __typeof__((void)0, (")
			if err := c.condition(m.lo, m.hi, *s, free); err != nil {
				return err
			}
			c.w.text(")) unitproof_measure_%d = 0;", measure)
			measure++
		}
	}
	held := 0
	for _, cl := range l.clauses {
		if cl.kind == invariant {
			c.ours(" _Bool unitproof_held_%d = 1;", held)
			held++
		}
	}
	targets, err := c.countTargets(l.clauses)
	if err != nil {
		return err
	}
	for k := range targets {
		c.ours(" const char *unitproof_at_%[1]d = 0; __unitproof_size_t unitproof_size_%[1]d = 0;", k)
	}
	first := "1 + (" + loopsPeeled + ")" // arrivals up to the entry
	if late {
		first = "2"
	}
	c.ours(" int unitproof_first = %s; char unitproof_loop __attribute__((cleanup(__unitproof_loop_leave)));", first)
	return nil
}
