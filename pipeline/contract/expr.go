package contract

import (
	"bytes"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// use is how a condition is used.
type use uint8

const (
	// assumed conditions hold by construction: pointers are assigned such that they hold.
	assumed use = iota
	// checked conditions are evaluated.
	checked
)

// stance is the position of a part in the logical structure of a condition.
type stance uint8

const (
	// must: the whole condition implies the part.
	must stance = iota
	// may: the part occurs positively, but the condition can hold without it.
	may
	// free: every other position.
	free
)

// scope is the context of a condition; it determines the meaning of CBMC's words in it.
type scope struct {
	use use
	// after reports whether the condition is about the state after a call, with a result and old values.
	after bool
	// made reports whether fresh objects were allocated by the function itself.
	made bool
	// inLoop reports whether the condition belongs to a loop.
	inLoop bool
	// old maps the first token of an expression to the variable with its earlier value.
	old map[int]string
	// fresh has the variables with the fresh objects of the conditions so far.
	fresh *slots
	// lifts reports whether user functions may contain predicates; within, whether the condition is in such a function.
	lifts, within bool
}

// conditions writes conditions as C.
type conditions struct {
	*reader
	w *writer
	// flat reports whether the output stays on one line.
	flat bool
	// declares reports whether the current tokens are in the braces of a statement expression.
	declares bool
	// made has the text of each pointer that the current contract assigned so far; bound is the subset that equalities
	// assigned.
	made, bound map[string]bool
	// arbitrary has the text of each place that is arbitrary after the call; said has the conditions that may constrain
	// one.
	arbitrary []string
	said      map[span]bool
	// equal has the equalities of conditionally evaluated parts that assigned a place, with the innermost || around
	// each. either is the current ||, and depends is the number of conditionally evaluated parts around the current
	// one.
	equal   map[span]span
	either  span
	depends int
	// own has the parameters of the current function.
	own    []string
	lifted *lifted
}

// havocErrno makes errno arbitrary if a file of the program uses it: library functions set it, and no frame lists it.
const havocErrno = " __unitproof_havoc((void *)__unitproof_errno_at(), sizeof(int));"

// to moves the output to the position of token i.
func (c *conditions) to(i int) {
	if c.flat {
		c.w.text(" ")
		return
	}
	c.w.move(c.src.fineAt(c.tokens[i].Start))
}

// clause moves the output to the position of a clause; if a macro wraps the clause, to the macro's name.
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
			if !ok { // the macro expands to the whole clause
				q = c.src.fineAt(c.tokens[cl.name].Start)
			}
			p = q
		}
	}
	c.w.move(p)
}

// ours writes generated code that has no position in the user's files.
func (c *conditions) ours(format string, args ...any) {
	if c.flat {
		c.w.text(format, args...)
		return
	}
	c.w.ours(format, args...)
}

// token writes one token at its position.
func (c *conditions) token(i int) {
	c.to(i)
	if n := len(c.w.out); n > 0 && csource.IsIdentByte(c.w.out[n-1]) &&
		csource.IsIdentByte(c.src.text[c.tokens[i].Start]) {
		c.w.text(" ") // a macro may have replaced the previous word by a longer one
	}
	c.w.raw(c.src.text[c.tokens[i].Start:c.tokens[i].End])
}

// assignments are the operators that assign.
var assignments = []string{"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}

// condition writes the tokens lo to hi as a condition.
func (c *conditions) condition(lo, hi int, s scope, st stance) error {
	if lo >= hi {
		return c.wrong(lo, "an operand is missing")
	}
	// Operators that bind weakest come first. Commas and semicolons separate conditions.
	if at := c.find(lo, hi, ",", ";"); at >= 0 {
		if err := c.optional(lo, at, s); err != nil {
			return err
		}
		c.token(at)
		return c.optional(at+1, hi, s)
	}
	if at := c.find(lo, hi, assignments...); at >= 0 {
		if !c.declares {
			return c.wrong(at, "a condition of a contract must have no side effects")
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
		// Each of the two is evaluated only if the whole condition equals it.
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
	// The right side of || is evaluated only if the left side is false; both sides of | are evaluated.
	for _, op := range []struct {
		word             string
		arbitrary, right stance
	}{{"||", max(st, may), st}, {"&&", st, st}, {"|", max(st, may), max(st, may)}, {"^", free, free}, {"&", st, st}} {
		if at := c.findBinary(lo, hi, op.word); at >= 0 {
			side := c.condition
			if op.word == "||" {
				outer := c.either
				c.either = span{lo, hi}
				defer func() { c.either = outer }()
				side = c.sometimes
			}
			if err := side(lo, at, s, op.arbitrary); err != nil {
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

// sometimes writes a condition that is not always evaluated.
func (c *conditions) sometimes(lo, hi int, s scope, st stance) error {
	c.depends++
	defer func() { c.depends-- }()
	return c.condition(lo, hi, s, st)
}

// optional writes a condition, which may be empty.
func (c *conditions) optional(lo, hi int, s scope) error {
	if lo >= hi {
		return nil
	}
	return c.condition(lo, hi, s, free)
}

// leaf writes a condition without logical operators outside brackets.
func (c *conditions) leaf(lo, hi int, s scope, st stance) error {
	if e, ok := c.equality(lo, hi, s, st); ok {
		return c.bind(e, s, st)
	}
	if c.said != nil {
		c.said[span{lo, hi}] = true
	}
	stanceOf := func(from, shut int) stance {
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
			return c.wrong(i, "a condition of a contract must have no side effects")
		case quantifiers[word] && c.is(i+1, "{") && c.partner[i+1] > 0:
			if err := c.quantifier(i, s); err != nil {
				return err
			}
			i = c.partner[i+1]
		case args > 0 && c.asks(word, s, stanceOf(i, args)):
			if err := c.callPredicate(i, args, s, stanceOf(i, args)); err != nil {
				return err
			}
			i = args
		case predicates[word] > 0 && args > 0:
			stands := stanceOf(i, args)
			if err := c.predicate(i, args, s, stands); err != nil {
				return err
			}
			i = args
		case word == "__CPROVER_return_value":
			if !s.after {
				return c.wrong(i, "__CPROVER_return_value is allowed in ensures only")
			}
			c.result(i)
		case word == "__CPROVER_old" || word == "__CPROVER_loop_entry":
			name, ok := s.old[i]
			if !ok {
				return c.wrong(i, "%s", map[string]string{"__CPROVER_old": "__CPROVER_old is allowed in ensures only",
					"__CPROVER_loop_entry": "__CPROVER_loop_entry is allowed in loop invariants only"}[word])
			}
			c.to(i)
			c.w.text("%s", name)
			i = args
		case (c.is(i, "(") || c.is(i, "[") || c.is(i, "{")) && c.partner[i] > i:
			end := c.partner[i]
			c.token(i)
			outside := c.declares
			c.declares = outside || c.is(i, "{") // a statement expression has its own variables
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

// result writes the variable of the result, at token i.
func (c *conditions) result(i int) {
	c.to(i)
	c.w.text("unitproof_result")
}

// quantifiers has CBMC's quantifiers, which are not C: `__CPROVER_forall { int i; CONDITION }`.
var quantifiers = map[string]bool{"__CPROVER_forall": true, "__CPROVER_exists": true}

// quantifier writes the quantifier at token i, with CBMC's word, on one line; package clang/quantifier translates it to
// C.
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
