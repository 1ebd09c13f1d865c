package contract

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Loops with contracts. The head is an expression of type void that is executed before the condition of the loop: at
// each arrival it checks the invariant. What follows depends on the mode, the result of __unitproof_loops():
//
// If loops are executed, every arrival continues with the condition.
//
// If loops are cut, one arbitrary iteration stands for all. The first evaluation of the condition is the program's own:
// a loop whose condition is false at first is not entered, and its contract is not checked. If the condition holds, the
// entry follows:
//
//   - it checks that the invariant held at the first arrival,
//   - makes the targets of assigns arbitrary,
//   - assumes the invariant, and
//   - evaluates the condition again, in the arbitrary state.
//
// An arbitrary iteration follows, and the next arrival ends the execution.
//
// Two kinds of conditions are handled differently: conditions that cannot be written twice, and conditions at the end
// (do). Their loops execute one iteration of the program first, and the entry is the second arrival. CBMC treats all
// loops like that, and invariants written for CBMC may rely on it: facts that the first iteration establishes about
// unassigned memory hold in all later iterations. The engine's own induction knows them (vcgen/contract.go).
//
// Cutting is sound: a write outside the havocked targets violates the frame, which begins at the first arrival and ends
// with the scope of the variable unitproof_loop, however the loop is left. So all other memory has its value from
// before the loop, and the state of the first arrival is one of the states after the entry.

// loopsCut is the condition that loops are cut.
var loopsCut = fmt.Sprintf("__unitproof_loops() == %d", language.LoopsCut)

// entersLate reports whether the entry of a loop is the second arrival at its head.
func (c *conditions) entersLate(l loop, cond span) bool {
	fixed := cond.lo == cond.hi || cond.hi == cond.lo+1 && c.word(cond.lo) == "" // a number
	for i := cond.lo; i < cond.hi; i++ {
		fixed = fixed || c.is(i, "{")
	}
	return l.word == "do" || fixed
}

// loopHead writes the head.
func (c *conditions) loopHead(l loop, s scope, cond span, late bool) error {
	c.ours("__extension__({ if (__unitproof_loops()) { __unitproof_frame_pause(); if (unitproof_first) {")
	if late {
		c.ours(" if (unitproof_first > 1) {")
	}
	if !late && c.mayChange(cond) {
		c.ours(" if (!(%s)) {", loopsCut)
		if err := c.measures(l, s); err != nil {
			return err
		}
		c.ours(" }")
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
		if err := c.measures(l, s); err != nil {
			return err
		}
		c.ours(" unitproof_first = 0; }") // unitproof_first is a target of the havoc, too
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

// out returns the label behind a loop. It depends only on the text of the function, not on the text before it.
func (c *conditions) out(l loop) string { return "unitproof_out_" + itoa(l.start-c.outermost(l)) }

// loopEntered writes the code behind the head: the condition, the entry and, if that made the state arbitrary, the
// condition again. It leaves a finished loop by goto: behind the expression, the engine would merge the state with the
// state of a continuing loop.
func (c *conditions) loopEntered(l loop, s scope, cond span) error {
	holds := func() {
		c.to(cond.lo)
		c.w.text("if (")
		for i := cond.lo; i < cond.hi; i++ {
			c.token(i)
		}
		c.w.text(") {} else goto %s;", c.out(l))
	}
	c.ours(";")
	holds()
	c.ours(" if (unitproof_first && __unitproof_loops()) { __unitproof_frame_pause();")
	c.heldAtFirst(l)
	if err := c.loopEntry(l, s); err != nil {
		return err
	}
	// A loop that is not entered needs no measures, so they are taken behind the condition. One that may change what they
	// measure is evaluated again behind the cut; loopHead takes the measures of an executed loop before it.
	if c.mayChange(cond) {
		c.ours(" if (%s) {", loopsCut)
	}
	if err := c.measures(l, s); err != nil {
		return err
	}
	if c.mayChange(cond) {
		c.ours(" }")
	}
	c.ours(" unitproof_first = 0; __unitproof_frame_go_on(); if (%s) {", loopsCut)
	holds()
	c.ours(" } } }), 1")
	return nil
}

// mayChange reports whether a condition assigns. Calls do not count: most change nothing, and a measure before the
// condition could read through a pointer that the call tests.
func (c *conditions) mayChange(cond span) bool {
	for i := cond.lo; i < cond.hi; i++ {
		if c.tokens[i].Kind != csource.Operator {
			continue
		}
		op, n := c.operator(i)
		if op == "++" || op == "--" || slices.Contains(assignments, op) {
			return true
		}
		i += n - 1
	}
	return false
}

// firstArrival writes the code of the first arrival at the head.
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

// assignsClause moves to the loop's assigns clause and reports whether there is one. Without it, the engine computes
// the write set.
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

// loopEntry writes the entry of a loop, behind the checks of heldAtFirst.
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
	begun := false
	for _, cl := range l.clauses {
		if cl.kind == invariant { // the position of messages about the assumption
			c.clause(cl)
			c.w.text("__unitproof_assuming(%d);", language.AssumesInvariant)
			begun = true
			break
		}
	}
	if !begun {
		c.ours(" __unitproof_assuming(%d);", language.AssumesInvariant)
	}
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
	return nil
}

// invariants writes the checks of the invariants behind an iteration.
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

// variants writes the checks that the measures of decreases went down, in lexicographic order: the first component that
// changed is smaller than before, and its old value is not negative.
func (c *conditions) variants(l loop, s scope) error {
	measure := 0
	for _, cl := range l.clauses {
		if cl.kind != decreases {
			continue
		}
		list := c.arguments(cl.open+1, cl.close)
		c.clause(cl)
		c.w.text("__unitproof_variant((_Bool)(")
		for k, m := range list { // without branches, which would appear in traces
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

// measures saves the current measures of decreases.
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

// boundPointers assigns pointers that the loop assigns a value which a condition of the invariant gives them: `p == e`,
// that of e; pointer_in_range(low, p, high), any in this range; same_object(p, e), any in the object of e. An arbitrary
// address has no object, even if it equals the address of one.
func (c *conditions) boundPointers(l loop, s scope) error {
	x := binder{conditions: c, s: s, open: c.assignedBy(l)}
	for before := -1; before != len(x.open); { // a pointer may be given its value by one that comes later in the text
		before = len(x.open)
		for _, cl := range l.clauses {
			if cl.kind == invariant {
				if err := x.bind(cl.open+1, cl.close); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// assignedBy returns the variables that a loop assigns: by its clause, or, without one, by the operators in its text.
func (c *conditions) assignedBy(l loop) map[string]bool {
	out, given := map[string]bool{}, false
	for _, cl := range l.clauses {
		if cl.kind != assigns {
			continue
		}
		given = true
		for _, t := range c.arguments(cl.open+1, cl.close) {
			if t.hi == t.lo+1 {
				out[c.word(t.lo)] = true
			}
		}
	}
	if !given {
		for _, text := range []span{{l.open, l.shut}, {l.body, l.end + 1}} {
			for i := text.lo; i < text.hi; i++ {
				if c.word(i) != "" && c.isAssigned(i) {
					out[c.word(i)] = true
				}
			}
		}
	}
	delete(out, "")
	return out
}

// isAssigned reports whether a variable at a token is assigned there: p = q, p += n, p++, --p, but not *p = q.
func (c *conditions) isAssigned(i int) bool {
	op := func(at int) string { return c.tokens[at].Of(c.src.text) }
	if before := op(i - 1); before == "++" || before == "--" {
		return true
	}
	switch op(i + 1) {
	case "++", "--":
		return true
	case "=", "+=", "-=":
		return op(i-1) != "*" && op(i-1) != "." && op(i-1) != "->"
	}
	return false
}

// binder writes the assignments of boundPointers. open are the pointers without a value so far.
type binder struct {
	*conditions
	s    scope
	open map[string]bool
}

// bind looks for conditions that give a pointer its value, in a condition or each part of a conjunction.
func (x binder) bind(lo, hi int) error {
	c := x.conditions
	if c.is(lo, "(") && c.partner[lo] == hi-1 {
		return x.bind(lo+1, hi-1)
	}
	if c.find(lo, hi, ",", ";", "=", "?", "<==>", "==>", "||") >= 0 {
		return nil
	}
	if at := c.find(lo, hi, "&&"); at >= 0 {
		if err := x.bind(lo, at); err != nil {
			return err
		}
		return x.bind(at+1, hi)
	}
	args, ok := x.call("__CPROVER_pointer_in_range_dfcc", lo, hi)
	if ok && len(args) == 3 && x.binds(args[1], args[0], args[2]) {
		c.to(lo)
		return c.join(args, x.s, slices.Concat([]any{"(void)__extension__({ "}, inRange, []any{" 1; });"})...)
	}
	at := c.find(lo, hi, "==")
	if at < 0 || c.find(lo, hi, "!=", "<", ">", "<=", ">=", "&", "|", "^") >= 0 || c.find(at+1, hi, "==") >= 0 {
		return nil
	}
	for _, side := range [][2]span{{{lo, at}, {at + 1, hi}}, {{at + 1, hi}, {lo, at}}} {
		const object = "__CPROVER_POINTER_OBJECT"
		if p, isObject := x.call(object, side[0].lo, side[0].hi); isObject {
			q, too := x.call(object, side[1].lo, side[1].hi)
			if args := append(p, q...); too && len(args) == 2 && x.binds(args[0], args[1]) {
				c.to(lo)
				return c.join(args, x.s, "*(void **)&(", 0, ") = (void *)((__unitproof_size_t)(", 1,
					") + __unitproof_number());")
			}
		}
		name, value := c.words(side[0].lo, side[0].hi), side[1]
		if !x.open[name] || x.mentions(value, name) {
			continue
		}
		delete(x.open, name)
		c.to(lo)
		c.w.text("(void)__builtin_choose_expr(__builtin_classify_type(%[1]s) == 5, *(void **)(void *)&%[1]s = (void *)"+
			"__builtin_choose_expr(__builtin_classify_type(%[1]s) == 5, (", name)
		if err := c.condition(value.lo, value.hi, x.s, free); err != nil {
			return err
		}
		c.w.text("), 0), 0);")
		return nil
	}
	return nil
}

// call returns the arguments if tokens are a call of a function, perhaps in parentheses.
func (x binder) call(function string, lo, hi int) (args []span, ok bool) {
	c := x.conditions
	for c.is(lo, "(") && c.partner[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	if c.word(lo) != function || !c.is(lo+1, "(") || c.partner[lo+1] != hi-1 {
		return nil, false
	}
	return c.arguments(lo+2, hi-1), true
}

// binds reports whether an open pointer can be given a value by terms without an open pointer. It is not open from now
// on.
func (x binder) binds(pointer span, by ...span) bool {
	name := x.words(pointer.lo, pointer.hi)
	for _, t := range by {
		if x.uses(t, func(i int) bool { return x.open[x.word(i)] }) {
			return false
		}
	}
	if !x.open[name] {
		return false
	}
	delete(x.open, name)
	return true
}

// mentions reports whether tokens use a variable, or an element of an open one. Values before the loop do not count.
func (x binder) mentions(value span, name string) bool {
	return x.uses(value, func(i int) bool {
		return x.word(i) == name || x.open[x.word(i)] && x.is(i+1, "[")
	})
}

// uses reports whether a condition holds for one of some tokens, without those of values before the loop.
func (x binder) uses(t span, is func(token int) bool) bool {
	for i := t.lo; i < t.hi; i++ {
		if x.word(i) == "__CPROVER_loop_entry" && x.is(i+1, "(") && x.partner[i+1] > i {
			i = x.partner[i+1]
			continue
		}
		if is(i) {
			return true
		}
	}
	return false
}

// loopBegin writes the declarations before a loop.
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
	first := 1 // number of arrivals up to the entry
	if late {
		first = 2
	}
	c.ours(" int unitproof_first = %d; char unitproof_loop __attribute__((cleanup(__unitproof_loop_leave)));", first)
	return nil
}
