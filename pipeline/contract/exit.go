package contract

// exit is a block that leaves loops with contracts on every path. It is not part of their iterations.
type exit struct {
	open  int // of the block
	last  int // its last statement
	loops int // number of loops with contracts that it leaves
}

// exits returns the blocks that always leave loop l, the innermost loop with a contract around them. Such a block ends
// with break, return or goto, and contains no other jump and no label.
//
// In the flow graph these blocks lie on no cycle through the loop head, so they do not belong to the natural loop. If a
// block is not recognized, its writes have to be in the frame of the loop.
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
		direct := true // no other loop or switch lies between that break would leave
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

// innermost returns the innermost loop with a contract around token i.
func (c *conditions) innermost(i int) (l loop) {
	for _, other := range c.loops {
		if other.body < i && i < other.end && other.start >= l.start {
			l = other
		}
	}
	return l
}

// leadsElsewhere reports whether the tokens of a block, up to its last statement, contain a jump or a label.
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

// hasLabel reports whether the label name is defined between two tokens; true for the empty name (a computed goto).
func (c *conditions) hasLabel(lo, hi int, name string) bool {
	for i := lo; i < hi; i++ {
		if c.word(i) == name && c.is(i+1, ":") {
			return true
		}
	}
	return name == ""
}

// isLoopOrSwitch reports whether the block at token open may belong to the body of a loop or switch. It need not be the
// body itself: the other braces of that body may not enclose it.
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
