package contract

import (
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// This file splits conditions at their operators. It works on tokens, since types are not known.

// find returns the first of some operators outside brackets, or -1.
func (c *conditions) find(lo, hi int, ops ...string) int {
	for i := lo; i < hi; i++ {
		if (c.is(i, "(") || c.is(i, "[") || c.is(i, "{")) && c.partner[i] > i {
			i = c.partner[i]
			continue
		}
		if c.tokens[i].Kind != csource.Operator {
			continue
		}
		op, n := c.operator(i)
		for _, want := range ops {
			if op == want {
				return i
			}
		}
		i += n - 1
	}
	return -1
}

// findBinary returns the first use of op as a binary operator outside brackets, or -1.
func (c *conditions) findBinary(lo, hi int, op string) int {
	for at := c.find(lo, hi, op); at >= 0; at = c.find(at+1, hi, op) {
		before := at - 1
		if op != "&" || before >= lo &&
			(c.tokens[before].Kind != csource.Operator || c.is(before, ")") || c.is(before, "]")) &&
			!c.isCast(lo, before) {
			return at
		}
	}
	return -1
}

// isCast reports whether token shut ends a cast or other parentheses before an operand, as far as tokens show it
// without types.
func (c *conditions) isCast(lo, shut int) bool {
	if !c.is(shut, ")") || c.partner[shut] < lo {
		return false
	}
	open := c.partner[shut]
	if open > lo && c.tokens[open-1].Kind != csource.Operator {
		return false // a call
	}
	return c.is(shut-1, "*") || types[c.word(shut-1)]
}

// operator returns the operator at token i, including CBMC's ==> and <==>, and its number of tokens.
func (c *conditions) operator(i int) (op string, tokens int) {
	switch {
	case c.is(i, "<=") && c.is(i+1, "=") && c.is(i+2, ">"):
		return "<==>", 3
	case c.is(i, "==") && c.is(i+1, ">"):
		return "==>", 2
	}
	return c.tokens[i].Of(c.src.text), 1
}

func (c *conditions) width(i int) int { _, n := c.operator(i); return n }

// colon returns the : of the ? at question.
func (c *conditions) colon(question, hi int) int {
	depth := 0
	for i := question; i < hi; i++ {
		switch {
		case (c.is(i, "(") || c.is(i, "[") || c.is(i, "{")) && c.partner[i] > i:
			i = c.partner[i]
		case c.is(i, "?"):
			depth++
		case c.is(i, ":"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// words returns the text of some tokens without spaces and outer parentheses.
func (c *conditions) words(lo, hi int) string {
	for hi-1 > lo && c.is(lo, "(") && c.partner[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	var b strings.Builder
	for i := lo; i < hi; i++ {
		b.WriteString(c.tokens[i].Of(c.src.text))
	}
	return b.String()
}

// span is a range of tokens, without hi.
type span struct{ lo, hi int }

// arguments splits tokens at commas.
func (c *conditions) arguments(lo, hi int) []span {
	if lo >= hi {
		return nil
	}
	return c.split(lo, hi, ",")
}

// split splits tokens at an operator outside brackets.
func (c *conditions) split(lo, hi int, op string) []span {
	var out []span
	for {
		at := c.find(lo, hi, op)
		if at < 0 {
			return append(out, span{lo, hi})
		}
		out = append(out, span{lo, at})
		lo = at + 1
	}
}

// uses returns the outermost calls of a word in some tokens.
func (c *conditions) uses(word string, lo, hi int) (list []span) {
	for i := lo; i < hi; i++ {
		if c.word(i) == word && c.is(i+1, "(") && c.partner[i+1] > 0 {
			list = append(list, span{i, c.partner[i+1]})
			i = c.partner[i+1]
		}
	}
	return list
}
