package contract

import (
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// save declares a variable for each use of a word (__CPROVER_old, __CPROVER_loop_entry) with the current value of its
// argument. If the memory of the argument does not exist, the value is arbitrary: a condition in the clause may guard
// the use.
func (c *conditions) save(word, prefix string, lo, hi int, s *scope) error {
	for _, u := range c.uses(word, lo, hi) {
		name := prefix + "_" + itoa(len(s.old))
		now := scope{use: checked, inLoop: s.inLoop, fresh: &slots{}}
		// An array is copied as a whole, although it decays to a pointer elsewhere. \x00 stands for the expression.
		scalar := "__builtin_types_compatible_p(__typeof__(\x00), __typeof__((void)0, (\x00)))"
		text := " __typeof__(__builtin_choose_expr(" + scalar + ", ((void)0, (\x00)), (\x00))) " + name +
			"; \x01(void)__builtin_choose_expr(" + scalar + ", *(__typeof__((void)0, (\x00)) *)&" + name + " = (\x00), " +
			"__builtin_memcpy((void *)&" + name + ", __builtin_choose_expr(" + scalar + ", (const void *)0, (\x00)), " +
			"sizeof " + name + "));"
		if c.mayBeBitField(u.lo+2, u.hi) { // a bit-field has no typeof, and is neither a pointer nor an array
			text = " _Static_assert(__builtin_classify_type((0, (\x00))) != 5, \"a member of this name is a bit-field: copy " +
				"the " +
				"array or the pointer with its struct\"); __typeof__((void)0, (\x00)) " + name + "; \x01" + name +
				" = (\x00);"
		}
		before, after, _ := strings.Cut(text, "\x01")
		if err := c.withArgument(before, u, now); err != nil {
			return err
		}
		if list, ok := c.readBy(u.lo+2, u.hi); ok && len(list) > 0 {
			c.ours(" if (") // the condition is generated: traces do not show it
			flat := *c
			flat.flat = true
			for i, r := range list {
				if i > 0 {
					c.w.text(" && ")
				}
				if err := flat.readable(r, now); err != nil {
					return err
				}
			}
			c.w.text(") ")
		}
		if err := c.withArgument(after, u, now); err != nil {
			return err
		}
		s.old[u.lo] = name
	}
	return nil
}

// mayBeBitField reports whether the tokens end with the name of a member that is a bit-field in some struct.
func (c *conditions) mayBeBitField(lo, hi int) bool {
	for hi-1 > lo && c.is(lo, "(") && c.partner[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	return hi-2 >= lo && (c.is(hi-2, ".") || c.is(hi-2, "->")) && c.bitFields[c.word(hi-1)]
}

// withArgument writes a text with the argument of a use in place of each \x00.
func (c *conditions) withArgument(text string, use span, s scope) error {
	for i, piece := range strings.Split(text, "\x00") {
		if i > 0 {
			if err := c.condition(use.lo+2, use.hi, s, free); err != nil {
				return err
			}
		}
		c.w.text("%s", piece)
	}
	return nil
}

// read is memory that an expression reads: the lvalue of the tokens or, if pointer, the pointee of their value.
type read struct {
	span
	pointer bool
}

// readBy lists the memory that `*p`, `p->q->r` or `a[i].m` reads, in the order of evaluation: each element determines
// the address of the next. It returns false for expressions of any other form.
func (c *conditions) readBy(lo, hi int) (list []read, ok bool) {
	for hi-1 > lo && c.is(lo, "(") && c.partner[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	if c.is(lo, "*") {
		if list, ok = c.readBy(lo+1, hi); ok {
			list = append(list, read{span{lo + 1, hi}, true})
		}
		return list, ok
	}
	at := lo + 1
	switch {
	case c.is(lo, "(") && c.partner[lo] > lo:
		at = c.partner[lo] + 1
		if list, ok = c.readBy(lo+1, at-1); !ok {
			return nil, false
		}
	case c.word(lo) == "":
		return nil, false
	}
	for at < hi {
		end, pointer := at+2, false
		switch {
		case c.is(at, "[") && c.partner[at] > at:
			end = c.partner[at] + 1
			if inner, plain := c.readBy(at+1, end-1); (!plain || len(inner) > 0) && !c.number(at+1, end-1) {
				return nil, false
			}
		case (c.is(at, ".") || c.is(at, "->")) && c.word(at+1) != "":
			if c.bitFields[c.word(at+1)] { // a bit-field has no address: its struct is read
				end, pointer = at, c.is(at, "->")
				if !pointer {
					return list, at+2 == hi
				}
			}
		default:
			return nil, false
		}
		if !c.is(at, ".") {
			list = append(list, read{span{lo, end}, pointer})
		}
		at = max(end, at+2)
	}
	return list, at == hi
}

// number reports whether the tokens are a single number.
func (c *conditions) number(lo, hi int) bool {
	return hi == lo+1 && c.tokens[lo].Kind == csource.Number
}

// readable writes the check that memory is readable.
func (c *conditions) readable(r read, s scope) error {
	address, size := "&(", "sizeof("
	if r.pointer {
		address, size = "(", "sizeof(*("
	}
	c.w.text("__unitproof_r_ok(%s", address)
	if err := c.condition(r.lo, r.hi, s, free); err != nil {
		return err
	}
	c.w.text("), %s", size)
	if err := c.condition(r.lo, r.hi, s, free); err != nil {
		return err
	}
	if r.pointer {
		c.w.text(")")
	}
	c.w.text("))")
	return nil
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}
