package contract

import (
	"bytes"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// use is what becomes of a condition.
type use uint8

const (
	// assumed: pointers are made such that the condition holds.
	assumed use = iota
	// checked: the condition is evaluated.
	checked
)

// stance is how a part of a condition stands in the whole.
type stance uint8

const (
	// must: the condition holds only if the part does.
	must stance = iota
	// may: the part being true can only help, but it need not be.
	may
	// free: anything else.
	free
)

// scope is what the words of a contract mean where a condition is written.
type scope struct {
	use use
	// after: the condition speaks of the state behind a call, with a result and with old values.
	after bool
	// made: what is fresh was allocated by the function.
	made bool
	// inLoop: the condition is one of a loop.
	inLoop bool
	// old gives the variable that holds an expression's earlier value, by its first token.
	old map[int]string
	// fresh are the variables that hold which objects were fresh so far.
	fresh *slots
	// lifts: functions may say what is fresh. within: the condition is one of such a function.
	lifts, within bool
}

// conditions writes conditions.
type conditions struct {
	*reader
	w *writer
	// flat: what is written stays on one line.
	flat bool
	// declares: in the braces of a statement expression.
	declares bool
	// made are the pointers that the contract under way made so far, as they are written; bound are those of them that an
	// equality made.
	made, bound map[string]bool
	// left are the places that it leaves arbitrary, as they are written; said are conditions on what may be one.
	left []string
	said map[span]bool
	// equal are the equalities that made a place some pointer where they are evaluated, which need not be: by the place,
	// the innermost || around it. either is the one under way, and depends counts what the condition under way depends on.
	equal   map[span]span
	either  span
	depends int
	// own are the parameters of the function under way.
	own    []string
	lifted *lifted
}

// havocErrno makes errno arbitrary, where any file of the program uses it: library functions set it, and no frame names
// it.
const havocErrno = " __unitproof_havoc((void *)__unitproof_errno_at(), sizeof(int));"

// to goes to the place of a token.
func (c *conditions) to(i int) {
	if c.flat {
		c.w.text(" ")
		return
	}
	c.w.move(c.src.fineAt(c.tokens[i].Start))
}

// clause goes to the place of a clause: where a macro wraps it, of the name that is written for it.
func (c *conditions) clause(cl clause) {
	if c.flat {
		c.w.text(" ")
		return
	}
	p := c.src.at(c.tokens[cl.name].Start)
	if o := c.src.originals[p.file]; o != nil {
		at := o.offset(p)
		if word := c.word(cl.name); at < 0 || !bytes.HasPrefix(o.text[at:], []byte(word)) {
			q, ok := o.callOf(c.src.fineAt(c.tokens[cl.open+1].Start))
			if !ok { // the whole clause is a macro
				q = c.src.fineAt(c.tokens[cl.name].Start)
			}
			p = q
		}
	}
	c.w.move(p)
}

// ours writes something of ours that stands in no file of the user's.
func (c *conditions) ours(format string, args ...any) {
	if c.flat {
		c.w.text(format, args...)
		return
	}
	c.w.ours(format, args...)
}

// token writes one token at its place.
func (c *conditions) token(i int) {
	c.to(i)
	if n := len(c.w.out); n > 0 && csource.IsIdentByte(c.w.out[n-1]) &&
		csource.IsIdentByte(c.src.text[c.tokens[i].Start]) {
		c.w.text(" ") // what a macro made of a word in front of it may be longer
	}
	c.w.raw(c.src.text[c.tokens[i].Start:c.tokens[i].End])
}

// within writes some tokens as a condition.
func (c *conditions) condition(lo, hi int, s scope, st stance) error {
	if lo >= hi {
		return c.wrong(lo, "an operand is missing")
	}
	// What binds least comes first. A comma or a semicolon separates what is no part of one condition.
	if at := c.find(lo, hi, ",", ";"); at >= 0 {
		if err := c.optional(lo, at, s); err != nil {
			return err
		}
		c.token(at)
		return c.optional(at+1, hi, s)
	}
	if at := c.find(lo, hi, "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="); at >= 0 {
		if !c.declares {
			return c.wrong(at, "a condition of a contract may change nothing")
		}
		return c.leaf(lo, hi, s, free)
	}
	if at := c.find(lo, hi, "?"); at >= 0 {
		colon := c.colon(at, hi)
		if colon < 0 {
			return c.wrong(at, "? has no :")
		}
		if err := c.condition(lo, at, s, free); err != nil {
			return err
		}
		c.token(at)
		// Each of the two is evaluated only where the whole is it.
		if err := c.sometimes(at+1, colon, s, st); err != nil {
			return err
		}
		c.token(colon)
		return c.sometimes(colon+1, hi, s, st)
	}
	if at := c.find(lo, hi, "<==>"); at >= 0 {
		c.w.text("(!(")
		if err := c.condition(lo, at, s, free); err != nil {
			return err
		}
		c.w.text(") == !(")
		if err := c.condition(at+c.width(at), hi, s, free); err != nil {
			return err
		}
		c.w.text("))")
		return nil
	}
	if at := c.find(lo, hi, "==>"); at >= 0 {
		c.w.text("(!(")
		if err := c.condition(lo, at, s, free); err != nil {
			return err
		}
		c.w.text(") || (")
		if err := c.sometimes(at+c.width(at), hi, s, st); err != nil {
			return err
		}
		c.w.text("))")
		return nil
	}
	// The right side of || is evaluated only where the left one does not hold; both sides of | are.
	for _, op := range []struct {
		word        string
		left, right stance
	}{{"||", max(st, may), st}, {"&&", st, st}, {"|", max(st, may), max(st, may)}, {"^", free, free}, {"&", st, st}} {
		if at := c.findBinary(lo, hi, op.word); at >= 0 {
			side := c.condition
			if op.word == "||" {
				outer := c.either
				c.either = span{lo, hi}
				defer func() { c.either = outer }()
				side = c.sometimes
			}
			if err := side(lo, at, s, op.left); err != nil {
				return err
			}
			c.token(at)
			return side(at+1, hi, s, op.right)
		}
	}
	if c.is(lo, "(") && c.partner[lo] == hi-1 && !c.is(lo+1, "{") {
		c.token(lo)
		if err := c.condition(lo+1, hi-1, s, st); err != nil {
			return err
		}
		c.token(hi - 1)
		return nil
	}
	return c.leaf(lo, hi, s, st)
}

// sometimes writes some tokens as a condition that need not be evaluated.
func (c *conditions) sometimes(lo, hi int, s scope, st stance) error {
	c.depends++
	defer func() { c.depends-- }()
	return c.condition(lo, hi, s, st)
}

// optional is a condition, or nothing.
func (c *conditions) optional(lo, hi int, s scope) error {
	if lo >= hi {
		return nil
	}
	return c.condition(lo, hi, s, free)
}

// leaf writes what has no logical operator outside of brackets.
func (c *conditions) leaf(lo, hi int, s scope, st stance) error {
	if e, ok := c.equality(lo, hi, s, st); ok {
		return c.bind(e, s, st)
	}
	if c.said != nil {
		c.said[span{lo, hi}] = true
	}
	whole := func(from, shut int) stance {
		if from != lo || shut != hi-1 {
			return free
		}
		return st
	}
	for i := lo; i < hi; i++ {
		word := c.word(i)
		args := -1
		if c.is(i+1, "(") && c.partner[i+1] > 0 {
			args = c.partner[i+1]
		}
		switch {
		case (c.is(i, "++") || c.is(i, "--")) && !c.declares:
			return c.wrong(i, "a condition of a contract may change nothing")
		case quantifiers[word] && c.is(i+1, "{") && c.partner[i+1] > 0:
			if err := c.quantifier(i, s); err != nil {
				return err
			}
			i = c.partner[i+1]
		case args > 0 && c.asks(word, s, whole(i, args)):
			if err := c.callPredicate(i, args, s, whole(i, args)); err != nil {
				return err
			}
			i = args
		case predicates[word] > 0 && args > 0:
			stands := whole(i, args)
			if err := c.predicate(i, args, s, stands); err != nil {
				return err
			}
			i = args
		case word == "__CPROVER_return_value":
			if !s.after {
				return c.wrong(i, "there is a result in what the function ensures only")
			}
			c.result(i)
		case word == "__CPROVER_old" || word == "__CPROVER_loop_entry":
			name, ok := s.old[i]
			if !ok {
				return c.wrong(i, "%s", map[string]string{"__CPROVER_old": "__CPROVER_old belongs to what a function ensures",
					"__CPROVER_loop_entry": "__CPROVER_loop_entry belongs to the invariant of a loop"}[word])
			}
			c.to(i)
			c.w.text("%s", name)
			i = args
		case (c.is(i, "(") || c.is(i, "[") || c.is(i, "{")) && c.partner[i] > i:
			end := c.partner[i]
			c.token(i)
			outside := c.declares
			c.declares = outside || c.is(i, "{") // of a statement expression, which has variables of its own
			err := c.optional(i+1, end, s)
			c.declares = outside
			if err != nil {
				return err
			}
			c.token(end)
			i = end
		default:
			c.token(i)
		}
	}
	return nil
}

// result writes the word for the result at a token.
func (c *conditions) result(i int) {
	c.to(i)
	c.w.text("unitproof_result")
}

// quantifiers are CBMC's, which are no C: `__CPROVER_forall { int i; CONDITION }`.
var quantifiers = map[string]bool{"__CPROVER_forall": true, "__CPROVER_exists": true}

// quantifier writes the one at token i with its words, for others to make C of, on one line.
func (c *conditions) quantifier(i int, s scope) error {
	end := c.partner[i+1]
	semicolon := c.find(i+2, end, ";")
	if semicolon < 0 {
		return c.wrong(i, "%s has the form { TYPE NAME; CONDITION }", c.word(i))
	}
	c.to(i)
	flat := *c
	flat.flat = true
	for k := i; k <= semicolon; k++ {
		flat.token(k)
	}
	from := semicolon + 1
	if at := c.find(from, end, "==>"); at >= 0 && c.find(from, end, "?", "<==>", ",") < 0 {
		if err := flat.condition(from, at, s, free); err != nil {
			return err
		}
		c.w.text(" ==> ")
		from = at + c.width(at)
	}
	if err := flat.condition(from, end, s, free); err != nil {
		return err
	}
	c.w.text(" }")
	return nil
}
