package contract

// exit is a block that leaves loops with contracts whatever happens in it: it is no part of their iterations.
type exit struct {
	open  int // of the block
	last  int // its last statement
	loops int // how many loops with contracts it leaves
}

// exits are the blocks that leave a loop, which is the innermost one with a contract around them: they end with break,
// return or goto, and nothing in them leads elsewhere. (In a flow graph they lie on no cycle through the loop's head,
// so that they belong to no natural loop. Where a block is not seen to be one, its writes have to be in the frame.)
func (c *conditions) exits(l loop) (list []exit) {
	if !c.is(l.body, "{") {
		return nil
	}
	for open := l.body + 1; open < l.end; open++ {
		if !c.is(open, "{") || c.partner[open] < 0 {
			continue
		}
		last := c.partner[open] - 1
		if !c.is(last, ";") {
			continue
		}
		for last--; last > open && !c.is(last-1, ";") && !c.is(last-1, "{") && !c.is(last-1, "}"); last-- {
			if (c.is(last, ")") || c.is(last, "]")) && c.partner[last] > open {
				last = c.partner[last]
			}
		}
		word := c.word(last)
		if last <= open || word != "break" && word != "return" && word != "goto" || c.leadsElsewhere(open, last) {
			continue
		}
		e := exit{open: open, last: last}
		direct := true // nothing else that break could leave lies between
		for b := open; b > l.body; b = c.around(b) {
			direct = direct && !c.isLoopOrSwitch(b)
		}
		for _, other := range c.loops {
			if other.start > open || other.end < open {
				continue
			}
			switch {
			case word == "break" && other.start != l.start:
			case word == "goto" && c.hasLabel(other.body, other.end, c.word(last+1)):
			default:
				e.loops++
			}
		}
		if e.loops == 0 || word == "break" && !direct || c.innermost(open).start != l.start {
			continue
		}
		list = append(list, e)
	}
	return list
}

// innermost is the loop with a contract around a token.
func (c *conditions) innermost(i int) (l loop) {
	for _, other := range c.loops {
		if other.body < i && i < other.end && other.start >= l.start {
			l = other
		}
	}
	return l
}

// leadsElsewhere tells whether some tokens, of a block up to its last statement, have a jump, or a label to jump to.
func (c *conditions) leadsElsewhere(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		switch c.word(i) {
		case "break", "continue", "return", "goto", "case", "default", "asm", "__asm__":
			return true
		}
		if c.word(i) != "" && c.is(i+1, ":") && (c.is(i-1, ";") || c.is(i-1, "{") || c.is(i-1, "}")) {
			return true
		}
	}
	return false
}

// hasLabel tells whether a label stands between two tokens.
func (c *conditions) hasLabel(lo, hi int, name string) bool {
	for i := lo; i < hi; i++ {
		if c.word(i) == name && c.is(i+1, ":") {
			return true
		}
	}
	return name == ""
}

// isLoopOrSwitch tells whether the block that begins at a token may be, or be in, the body of a loop or of a switch
// whose other braces do not stand around it.
func (c *conditions) isLoopOrSwitch(open int) bool {
	for i := open - 1; i > 0 && !c.is(i, ";") && !c.is(i, "{") && !c.is(i, "}"); i-- {
		if c.is(i, ")") && c.partner[i] >= 0 {
			i = c.partner[i]
			continue
		}
		switch c.word(i) {
		case "for", "while", "do", "switch":
			return true
		case "else":
			if !c.is(i-1, "}") || c.partner[i-1] < 1 {
				return true // perhaps
			}
			i = c.partner[i-1]
		}
	}
	return false
}
