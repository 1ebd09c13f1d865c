package contract

import (
	"slices"
	"strings"
)

// Where a condition is assumed, `p == e` says more of a pointer p that may still be any address than a number would:
// p is that pointer, to the object that e leads to. What only had its address would be no pointer to it, and no access
// could go through it.

// equality is such a condition.
type equality struct{ place, value span }

// begin starts the conditions of a function.
func (c *conditions) begin() {
	c.made, c.bound, c.left = map[string]bool{}, map[string]bool{}, nil
	c.said, c.equal = map[span]bool{}, map[span]span{}
}

// leave notes the places that a contract leaves arbitrary where it stands for a call: the result, and what the function
// assigns. What was said before is said of what was there before.
func (g *generator) leave() {
	g.begin()
	g.left = []string{"__CPROVER_return_value"}
	for _, cl := range g.f.clauses {
		if cl.kind == assigns {
			for _, target := range g.arguments(cl.open+1, cl.close) {
				g.left = append(g.left, g.words(target.lo, target.hi))
			}
		}
	}
}

// isLeft tells whether a place is one that the contract leaves arbitrary, or a member of one.
func (c *conditions) isLeft(words string) bool {
	return slices.ContainsFunc(c.left, func(target string) bool {
		through, isPointee := strings.CutPrefix(target, "*")
		return words == target || strings.HasPrefix(words, target+".") ||
			isPointee && strings.HasPrefix(words, through+"->")
	})
}

// equality finds one in what is assumed.
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

// opens tells whether the place of an equality may be any address so far, and its value is known.
func (c *conditions) opens(e equality) bool {
	place, value := c.words(e.place.lo, e.place.hi), c.words(e.value.lo, e.value.hi)
	switch {
	case c.made[place] || c.mayBeBitField(e.place.lo, e.place.hi):
		return false
	case c.isLeft(place):
		return c.made[value] || !c.isLeft(value)
	}
	for i := e.place.lo; i < e.place.hi; i++ { // a variable, or a member of one
		if c.word(i) == "" && !c.is(i, ".") && !c.is(i, "->") || c.word(i) == "NULL" {
			return false
		}
	}
	if c.left != nil { // what nobody assigns may not change: only what is new was no pointer before
		return c.made[value] && !c.bound[value]
	}
	for i := e.value.lo; i < e.value.hi; i++ {
		if c.made[c.word(i)] {
			return true
		}
	}
	return c.made[value]
}

// heard tells whether something was said of a place before, which has to stay true of it. What the left side of || says
// is nothing that its right side has to keep.
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

// bind writes an equality. A place of which nothing was said gets the value; where something was, the numbers are
// equal, too. Of what is no pointer, it is the equality of C.
func (c *conditions) bind(e equality, s scope, st stance) error {
	pointer := func(p span) []any { return []any{"__builtin_classify_type((0, (", p, "))) == 5"} }
	chosen := func(p span) []any {
		return slices.Concat([]any{"__builtin_choose_expr("}, pointer(p), []any{", (", p, "), unitproof_none)"})
	}
	// An array is none: it has another type than what a comma makes of it.
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
			if p == e.place { // what is said of it here is no condition on it
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
