package contract

import (
	"slices"
	"strings"
)

// An assumed equality `p == e` of a pointer p that is still arbitrary makes p the pointer e, with its object. If only
// the addresses were equal, p would have no object, and every access through p would be a violation.

// equality is an equality that may assign value to place.
type equality struct{ place, value span }

// begin resets the state for the conditions of another function.
func (c *conditions) begin() {
	c.made, c.bound, c.arbitrary = map[string]bool{}, map[string]bool{}, nil
	c.said, c.equal = map[span]bool{}, map[span]span{}
}

// leave notes the places that are arbitrary after a replaced call: the result and the targets of assigns. Conditions on
// the state before the call no longer constrain them.
func (g *generator) leave() {
	g.begin()
	g.arbitrary = []string{"__CPROVER_return_value"}
	for _, cl := range g.f.clauses {
		if cl.kind == assigns {
			for _, target := range g.arguments(cl.open+1, cl.close) {
				g.arbitrary = append(g.arbitrary, g.words(target.lo, target.hi))
			}
		}
	}
}

// isLeft reports whether a place, or the variable or struct that it is a member of, is arbitrary after the call.
func (c *conditions) isLeft(words string) bool {
	return slices.ContainsFunc(c.arbitrary, func(target string) bool {
		through, isPointee := strings.CutPrefix(target, "*")
		return words == target || strings.HasPrefix(words, target+".") ||
			isPointee && strings.HasPrefix(words, through+"->")
	})
}

// equality returns the equality that the tokens lo to hi are, if the condition is assumed and may assign.
func (c *conditions) equality(lo, hi int, s scope, st stance) (equality, bool) {
	at := c.find(lo, hi, "==")
	if s.use != assumed || s.inLoop || s.within || st == free || at < 0 ||
		c.find(at+1, hi, "==", "!=", "<", ">", "<=", ">=") >= 0 {
		return equality{}, false
	}
	left, right := span{lo, at}, span{at + 1, hi}
	for _, e := range []equality{{left, right}, {right, left}} {
		if c.opens(e) {
			return e, true
		}
	}
	return equality{}, false
}

// opens reports whether the place of e is still an arbitrary address and its value is determined.
func (c *conditions) opens(e equality) bool {
	place, value := c.words(e.place.lo, e.place.hi), c.words(e.value.lo, e.value.hi)
	switch {
	case c.made[place] || c.mayBeBitField(e.place.lo, e.place.hi):
		return false
	case c.isLeft(place):
		return c.made[value] || !c.isLeft(value)
	}
	for i := e.place.lo; i < e.place.hi; i++ { // a variable or a member of one
		if c.word(i) == "" && !c.is(i, ".") && !c.is(i, "->") || c.word(i) == "NULL" {
			return false
		}
	}
	if c.arbitrary != nil { // other places keep their value: only a fresh object was no pointer before
		return c.made[value] && !c.bound[value]
	}
	for i := e.value.lo; i < e.value.hi; i++ {
		if c.made[c.word(i)] {
			return true
		}
	}
	return c.made[value]
}

// heard reports whether an earlier condition constrains a place, so that an assignment could violate it. Conditions of
// the left side of || do not constrain its right side.
func (c *conditions) heard(place span) bool {
	is := func(at int) bool {
		for i := place.lo; i < place.hi; i++ {
			if c.tokens[i].Of(c.src.text) != c.tokens[at+i-place.lo].Of(c.src.text) {
				return false
			}
		}
		return true
	}
	for t := range c.said {
		for at := t.lo; at+place.hi-place.lo <= t.hi; at++ {
			if is(at) {
				return true
			}
		}
	}
	for other, either := range c.equal {
		within := either.lo <= place.lo && place.lo < either.hi
		if !within && other.hi-other.lo == place.hi-place.lo && is(other.lo) {
			return true
		}
	}
	return false
}

// bind writes an equality. A place without earlier conditions is assigned the value; with earlier conditions, the
// addresses are compared first. If the operands are not pointers, it writes C's equality.
func (c *conditions) bind(e equality, s scope, st stance) error {
	pointer := func(p span) []any { return []any{"__builtin_classify_type((0, (", p, "))) == 5"} }
	chosen := func(p span) []any {
		return slices.Concat([]any{"__builtin_choose_expr("}, pointer(p), []any{", (", p, "), unitproof_none)"})
	}
	// Arrays are excluded: the type of an array differs from its type behind a comma.
	same := slices.Concat([]any{"__builtin_types_compatible_p(__typeof__("}, chosen(e.place),
		[]any{"), __typeof__((0, "}, chosen(e.place), []any{")))"})
	pointers := slices.Concat(pointer(e.place), []any{" && "}, pointer(e.value), []any{" && "}, same)
	equal := []any{"(", e.place, ") == (", e.value, ")"}
	assign := slices.Concat([]any{"*(void **)&"}, chosen(e.place), []any{" = (void *)"}, chosen(e.value))
	var holds []any
	switch {
	case c.heard(e.place):
		holds = slices.Concat(equal, []any{" && ("}, pointers, []any{" ? ("}, assign, []any{", 1) : 1)"})
	case st == may:
		holds = slices.Concat(pointers, []any{" ? __unitproof_choice() && ("}, assign, []any{", 1) : ("}, equal,
			[]any{")"})
	default:
		holds = slices.Concat([]any{"("}, pointers, []any{" ? (void)("}, assign, []any{") : (void)0), "}, equal)
	}
	text := slices.Concat([]any{"__extension__({ void *unitproof_none = 0; (_Bool)("}, holds, []any{"); })"})
	c.to(e.place.lo)
	for _, p := range text {
		switch p := p.(type) {
		case string:
			c.w.text("%s", p)
		case span:
			if p == e.place { // this use of the place constrains nothing
				c.place(p)
			} else if err := c.condition(p.lo, p.hi, s, free); err != nil {
				return err
			}
		}
	}
	switch {
	case c.made == nil:
	case c.depends > 0:
		c.equal[e.place] = c.either
	default:
		c.made[c.words(e.place.lo, e.place.hi)], c.bound[c.words(e.place.lo, e.place.hi)] = true, true
	}
	return nil
}

// place writes the tokens of a place.
func (c *conditions) place(p span) {
	for i := p.lo; i < p.hi; i++ {
		if c.word(i) == "__CPROVER_return_value" {
			c.result(i)
		} else {
			c.token(i)
		}
	}
}
