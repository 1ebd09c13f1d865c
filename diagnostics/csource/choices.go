package csource

import (
	sitter "github.com/tree-sitter/go-tree-sitter"
)

// choice is a statement, or a ?:, whose condition selects the code that is executed next.
type choice struct {
	start   int // of the whole statement
	cond    *condition
	yes, no [2]int // code executed if the condition is true, and if it is false; 0, 0 if there is none of its own
	cases   []CaseBody
}

// CaseBody is the code behind consecutive labels of a switch, up to the next label.
type CaseBody struct {
	Start, End int // from the first label to the end of the last statement
	Body       int // start of the first statement
	Labels     int
	Default    bool
	inside     bool // other code jumps into it, such as a goto
	leaves     bool // its end is not reached
}

// condition is a condition with the operands of its outermost !, && or ||.
type condition struct {
	start, end int
	op         string
	operands   []*condition
}

// choiceOf converts a node to a choice; it returns nil if the node is none.
func choiceOf(n *sitter.Node, text []byte) *choice {
	parts := map[string][2]string{"if_statement": {"consequence", "alternative"}, "while_statement": {"body", ""},
		"for_statement": {"body", ""}, "conditional_expression": {"consequence", "alternative"}}
	if n.Kind() == "switch_statement" {
		return switchOf(n, text)
	}
	fields, ok := parts[n.Kind()]
	cond := n.ChildByFieldName("condition")
	if !ok || cond == nil || n.HasError() {
		return nil
	}
	span := func(field string) (out [2]int) {
		part := n.ChildByFieldName(field)
		if part == nil {
			return out
		}
		if part.Kind() == "else_clause" && part.NamedChildCount() > 0 {
			part = part.NamedChild(part.NamedChildCount() - 1)
		}
		if jumpedInto(part, false) {
			return out // it may be executed for both values of the condition
		}
		return [2]int{int(part.StartByte()), int(part.EndByte())}
	}
	c := &choice{start: int(n.StartByte()), cond: conditionOf(cond, text), yes: span(fields[0])}
	if fields[1] != "" {
		c.no = span(fields[1])
	}
	return c
}

// switchOf converts a switch whose labels are consecutive children of its body. It returns nil for others, and for
// GNU's ranges of labels, which the grammar lacks.
func switchOf(n *sitter.Node, text []byte) *choice {
	cond, body := n.ChildByFieldName("condition"), n.ChildByFieldName("body")
	if cond == nil || body == nil || n.HasError() || body.Kind() != "compound_statement" {
		return nil
	}
	c := &choice{start: int(n.StartByte()), cond: &condition{}}
	open := CaseBody{} // labels without a statement so far
	for i := range body.NamedChildCount() {
		label := body.NamedChild(i)
		if label.Kind() == "comment" {
			continue
		}
		if label.Kind() != "case_statement" {
			return nil
		}
		if open.Labels == 0 {
			open.Start = int(label.StartByte())
		}
		open.Labels++
		var last *sitter.Node
		behind := false // the colon
		for k := range label.ChildCount() {
			part := label.Child(k)
			switch {
			case part.Kind() == ":":
				behind = true
			case part.Kind() == "default":
				open.Default = true
			case behind && part.Kind() != "comment":
				if last == nil {
					open.Body = int(part.StartByte())
				}
				last = part
				open.inside = open.inside || jumpedInto(part, false)
			}
		}
		if last != nil {
			open.End, open.leaves = int(last.EndByte()), leaves(last)
			c.cases = append(c.cases, open)
			open = CaseBody{}
		}
	}
	return c
}

// leaves reports whether control never passes the end of a statement, judged by its last statement.
func leaves(n *sitter.Node) bool {
	switch n.Kind() {
	case "break_statement", "return_statement", "goto_statement", "continue_statement":
		return true
	case "compound_statement":
		for i := int(n.NamedChildCount()) - 1; i >= 0; i-- {
			if last := n.NamedChild(uint(i)); last.Kind() != "comment" {
				return leaves(last)
			}
		}
	}
	return false
}

// jumpedInto reports whether a part of a function has labels of goto, or of a switch around it.
func jumpedInto(n *sitter.Node, inSwitch bool) (found bool) {
	switch n.Kind() {
	case "labeled_statement":
		return true
	case "case_statement":
		if !inSwitch {
			return true
		}
	case "switch_statement":
		inSwitch = true
	}
	visitChildren(n, func(child *sitter.Node) { found = found || jumpedInto(child, inSwitch) })
	return found
}

func conditionOf(n *sitter.Node, text []byte) *condition {
	c := &condition{start: int(n.StartByte()), end: int(n.EndByte())}
	switch n.Kind() {
	case "parenthesized_expression":
		if n.NamedChildCount() == 1 {
			return conditionOf(n.NamedChild(0), text)
		}
	case "unary_expression", "binary_expression":
		op := n.ChildByFieldName("operator")
		if op == nil {
			return c
		}
		fields := map[string][]string{"!": {"argument"}, "&&": {"left", "right"}, "||": {"left", "right"}}
		name := string(text[op.StartByte():op.EndByte()])
		for _, field := range fields[name] {
			if o := n.ChildByFieldName(field); o != nil {
				c.operands = append(c.operands, conditionOf(o, text))
			}
		}
		if len(c.operands) > 0 && len(c.operands) == len(fields[name]) {
			c.op = name
		}
	}
	return c
}

// DeadCode returns the statements that are never executed in the item around an offset: bodies of if, else, while and
// for, and the sides of ?:. never reports that a condition, or an operand of && or ||, at [start, end) never
// evaluates to way; head is the start of its statement. Code within dead code is not listed again.
func (s *Source) DeadCode(at int, never func(head, start, end int, way bool) bool) (list [][2]int) {
	t, from := s.around(at)
	var done [2]int
	for _, c := range t.choices {
		if c.start < done[1] {
			continue
		}
		dead := func(part [2]int, way bool) {
			if part[1] > part[0] && c.cond.never(way, func(start, end int, way bool) bool {
				return never(from+c.start, from+start, from+end, way)
			}) {
				list = append(list, [2]int{from + part[0], from + part[1]})
				done = part
			}
		}
		dead(c.yes, true)
		dead(c.no, false)
	}
	return list
}

// DeadCases returns the bodies that are never executed in the switch that begins at an offset. never reports that no
// execution enters a body through its labels.
func (s *Source) DeadCases(at int, never func(CaseBody) bool) (list []CaseBody) {
	t, from := s.around(at)
	for _, c := range t.choices {
		if c.start != at-from {
			continue
		}
		closed := true // no execution falls through from the case above
		for _, b := range c.cases {
			b.Start, b.End, b.Body = b.Start+from, b.End+from, b.Body+from
			if dead := !b.inside && closed && never(b); dead {
				list = append(list, b)
				closed = true
			} else {
				closed = b.leaves
			}
		}
	}
	return list
}

// never reports whether a condition never evaluates to way, given facts about its operands.
func (c *condition) never(way bool, known func(start, end int, way bool) bool) bool {
	if known(c.start, c.end, way) {
		return true
	}
	switch {
	case c.op == "!":
		return c.operands[0].never(!way, known)
	case c.op == "":
		return false
	case (c.op == "&&") == way: // all operands must evaluate to way
		return c.operands[0].never(way, known) || c.operands[1].never(way, known)
	}
	return c.operands[0].never(way, known) && c.operands[1].never(way, known)
}
