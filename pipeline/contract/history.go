package contract

import (
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// save declares a variable for each use of a word, which holds the value of its argument now, and any value where there
// is none: the word may stand behind a condition that does not hold.
func (c *conditions) save(word, prefix string, lo, hi int, s *scope) error {
	for _, u := range c.uses(word, lo, hi) {
		name := prefix + "_" + itoa(len(s.old))
		now := scope{use: checked, inLoop: s.inLoop, fresh: &slots{}}
		// An array is copied, whatever it decays to elsewhere. \x00 stands for the expression.
		scalar := "__builtin_types_compatible_p(__typeof__(\x00), __typeof__((void)0, (\x00)))"
		text := " __typeof__(__builtin_choose_expr(" + scalar + ", ((void)0, (\x00)), (\x00))) " + name +
			"; \x01(void)__builtin_choose_expr(" + scalar + ", *(__typeof__((void)0, (\x00)) *)&" + name + " = (\x00), " +
			"__builtin_memcpy((void *)&" + name + ", __builtin_choose_expr(" + scalar + ", (const void *)0, (\x00)), " +
			"sizeof " + name + "));"
		if c.mayBeBitField(u.lo+2, u.hi) { // which has no typeof, and is neither a pointer nor an array
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
			c.ours(" if (") // nobody wrote that condition: it stands in no trace
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

// mayBeBitField tells whether some tokens name a member that is a bit-field in some struct.
func (c *conditions) mayBeBitField(lo, hi int) bool {
	for hi-1 > lo && c.is(lo, "(") && c.partner[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	return hi-2 >= lo && (c.is(hi-2, ".") || c.is(hi-2, "->")) && c.bitFields[c.word(hi-1)]
}

// withArgument writes a text in which \x00 stands for the argument of a use.
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

// read is memory that an expression reads: the lvalue that the tokens are, or what they point to.
type read struct {
	span
	pointer bool
}

// readBy lists the memory that `*p`, `p->q->r` or `a[i].m` reads, each of which tells where the next is; false: the
// expression has another form.
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
			if c.bitFields[c.word(at+1)] { // which has no address: its struct is read
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

// number tells whether some tokens are one number.
func (c *conditions) number(lo, hi int) bool {
	return hi == lo+1 && c.tokens[lo].Kind == csource.Number
}

// readable writes whether memory is there.
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
