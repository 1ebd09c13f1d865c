package contract

import "github.com/unitproof/unitproof/vcgen/language"

// head writes what is executed before a loop's condition, as an expression of type void: at each arrival the invariant
// is checked; what comes of it then, __unitproof_loops() says. Where loops are cut, the first arrival makes arbitrary
// what the loop assigns, assumes the invariant, and goes on with an arbitrary iteration; the second one ends the
// execution. Where they are executed, each arrival goes on.
//
// Cutting is sound since a write outside of what is made arbitrary is a violation (the frame, which is left with the
// scope of unitproof_loop, however the loop is left), so what is not made arbitrary is as it was before the loop.
func (c *conditions) loopHead(l loop, s scope) error {
	c.ours("__extension__({ if (__unitproof_loops()) { __unitproof_frame_pause();")
	for _, cl := range l.clauses {
		if cl.kind != invariant {
			continue
		}
		c.clause(cl)
		c.w.text("__unitproof_invariant((_Bool)(")
		if err := c.condition(cl.open+1, cl.close, s, must); err != nil {
			return err
		}
		c.w.text("), unitproof_first, %s);", c.quote(cl))
	}
	c.ours(" if (unitproof_first) {")
	given := false
	for _, cl := range l.clauses {
		given = given || cl.kind == assigns
	}
	names, err := c.targets(l.clauses, s)
	if err != nil {
		return err
	}
	c.ours(" __unitproof_frame_begin(1);")
	for _, t := range names {
		for _, cl := range l.clauses {
			if cl.kind == assigns {
				c.clause(cl)
				break
			}
		}
		c.w.text(" __unitproof_frame_add(%s_at, %s_size); if (__unitproof_loops() == 2) __unitproof_havoc((void *)%s_at, "+
			"%s_size);",
			t, t, t, t)
	}
	if given {
		c.ours(" if (__unitproof_loops() == 2) {" + havocErrno + " }")
	} else {
		c.ours(" __unitproof_frame_written();")
	}
	c.ours(" if (__unitproof_loops() == 2) { __unitproof_assuming(%d);", language.AssumesInvariant)
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
	c.ours(" __unitproof_assuming(%d); } } else {", language.AssumesNothing)
	measure := 0
	for _, cl := range l.clauses {
		if cl.kind != decreases {
			continue
		}
		// The first that differs has to be smaller, and not below zero.
		list := c.arguments(cl.open+1, cl.close)
		c.clause(cl)
		c.w.text("__unitproof_variant((_Bool)(")
		for k, m := range list {
			for _, piece := range []string{"((", ") < unitproof_measure_" + itoa(measure+k) +
				" && unitproof_measure_" + itoa(measure+k) + " >= 0) || ((", ") == unitproof_measure_" + itoa(measure+k) +
				" && ("} {
				c.w.text("%s", piece)
				if piece[len(piece)-2:] == "((" {
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
	c.ours(" if (__unitproof_loops() == 2) __unitproof_stop(); } unitproof_first = 0;")
	measure = 0
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
	c.ours(" __unitproof_frame_go_on(); } })")
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
func (c *conditions) loopBegin(l loop, s *scope) error {
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
	c.ours(" _Bool unitproof_first = 1; char unitproof_loop __attribute__((cleanup(__unitproof_loop_leave)));")
	return nil
}
