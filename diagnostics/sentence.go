package diagnostics

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen/found"
)

// said describes the operand values that a sentence already implies.
type said struct {
	names []string // operands whose values it has
	// condition is the expression that the sentence states to be false, or "".
	condition string
	// expression is the source that the sentence quotes. If it has hexadecimal numbers, values are hexadecimal too.
	expression string
}

// tells reports whether the sentence implies the value of an operand. called is the function of an operand that is a
// call whose arguments were not found.
func (s said) tells(name, called, value string) bool {
	if slices.Contains(s.names, name) {
		return true
	}
	no := value == "0" || value == "false"
	return no && (name == s.condition || called != "" && strings.HasPrefix(s.condition, called+"("))
}

// values returns "r = 100, hi = 99" for at most max operands of an expression, to follow the sentence behind. Calls
// are quoted from the source. Operands whose values the sentence implies are left out.
func (m *messenger) values(ops []found.Operand, behind said, root paths.Root, max int) string {
	var parts []string
	for _, o := range ops {
		name, called := o.Text, ""
		if o.Call != "" {
			var arguments bool
			if name, arguments = m.callText(&o, root); !arguments {
				called = o.Call
			}
		}
		value := phrase.OneLine(o.Value)
		if strings.Contains(behind.expression, "0x") {
			value = hexadecimal(value)
		}
		part := name + " = " + value
		if value == "" || len(value) > maxValue || behind.tells(name, called, value) || slices.Contains(parts, part) {
			continue
		}
		if parts = append(parts, part); len(parts) == max {
			break
		}
	}
	return strings.Join(parts, ", ")
}

// hexadecimal appends the hexadecimal form to a natural number above 9.
func hexadecimal(value string) string {
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n < 10 {
		return value
	}
	return fmt.Sprintf("%s (0x%X)", value, n)
}

// callText returns the source of the call whose result is an operand. It returns false if it
// has no arguments, as far as is known.
func (m *messenger) callText(o *found.Operand, root paths.Root) (string, bool) {
	f := m.sources.File(root.Show(o.Pos.File))
	if c, ok := f.Call(o.Pos.Line, o.Pos.Column); ok && (c.Name == o.Call || o.Call == found.Indirect) {
		args := source.Code(c.Args)
		return phrase.Shorten(c.Name+"("+args+")", phrase.MaxQuote/2), args != ""
	}
	if _, ok := f.Offset(o.Pos.Line, o.Pos.Column); ok && o.Call == found.Indirect {
		return "the call", true
	}
	return o.Text, false
}

// decides and assumes begin the sentences about a branch and an assumption whose condition is quoted from the source.
func decides(condition string) string { return phrase.Quote(condition) + " is " }
func assumes(condition string) string { return "assumed: " + phrase.Quote(condition) }

// stepSentence returns the text of a step of a trace. Conditions are quoted from the source, followed by the values
// that they were computed from.
func (m *messenger) stepSentence(s *found.Step, root paths.Root) (text, value, condition string) {
	value = s.Value
	plain := phrase.OneLine(s.Text)
	f := m.sources.File(root.Show(s.Pos.File))
	with := func(text string, behind said) string {
		if ops := m.values(s.Operands, behind, root, maxSaid); ops != "" {
			return text + ": " + ops
		}
		return text
	}
	switch s.Event {
	case found.StepBranch:
		if s.Value == found.Overflows {
			if expr, _, ok := f.Decision(s.Pos.Line, s.Pos.Column); ok {
				return with(phrase.Quote(expr)+" overflows", said{expression: expr}), value, ""
			}
			return with(plain, said{}), value, ""
		}
		cond, inverted, ok := f.Decision(s.Pos.Line, s.Pos.Column)
		truth := s.Value == "true"
		switch {
		case s.Value != "true" && s.Value != "false":
			if ok && len(s.Operands) == 1 && source.Code([]byte(s.Operands[0].Text)) == cond {
				return "switch on " + cond + " = " + s.Operands[0].Value, value, cond
			}
			if ok {
				return with("switch on "+phrase.Quote(cond)+" = "+s.Value, said{expression: cond}), value, cond
			}
			return with(plain, said{}), value, ""
		case !ok:
			return with(plain, said{}), value, ""
		case inverted:
			truth = !truth
		}
		if truth {
			return with(decides(cond)+"true", said{expression: cond}), "true", cond
		}
		return with(decides(cond)+"false", said{condition: cond, expression: cond}), "false", cond
	case found.StepAssume:
		if c, ok := f.Condition(s.Pos.Line, s.Pos.Column); ok {
			cond := c.Text()
			return with(assumes(cond), said{expression: cond}), value, cond
		}
	}
	if plain == "" {
		plain = phrase.Step(&found.Step{Event: s.Event, LValue: s.LValue, Value: s.Value, Old: s.Old})
	}
	return plain, value, ""
}

// constantSide returns "DEPTH = 4" if a side of the failed comparison is a name but no variable: a macro or an
// enumerator.
func (m *messenger) constantSide(cex *found.Counterexample, ops []found.Operand) string {
	left, right, ok := m.sides(cex)
	if !ok {
		return ""
	}
	var out string
	for _, side := range [][2]string{{left, cex.Comparison.Left}, {right, cex.Comparison.Right}} {
		name, value := side[0], side[1]
		known := !csource.IsIdentStart(name[0]) || csource.WordEnd([]byte(name), 0) != len(name) || name == value
		switch name {
		case "NULL", "true", "false":
			known = true
		}
		for _, o := range ops {
			known = known || source.Code([]byte(o.Text)) == name
		}
		if !known {
			out = join(out, name+" = "+value)
		}
	}
	return out
}

// sides returns the source of both sides of the failed comparison.
func (m *messenger) sides(cex *found.Counterexample) (left, right string, ok bool) {
	if cex == nil || cex.Comparison == nil {
		return "", "", false
	}
	return m.sidesOf(cex.Comparison)
}

func (m *messenger) sidesOf(c *found.Comparison) (left, right string, ok bool) {
	return m.sources.File(m.root.Show(c.Pos.File)).Sides(c.Pos.Line, c.Pos.Column, c.Op)
}

// denial returns the reason that an asserted function returned false, "" if it is unknown: "`b->len <= b->cap` is
// false in `is_valid` (line 12): b->len = 3, b->cap = 2".
func (m *messenger) denial(cex *found.Counterexample, file string) string {
	if cex == nil || cex.Denial == nil {
		return ""
	}
	d := cex.Denial
	left, right, ok := m.sidesOf(&d.Comparison)
	if !ok {
		return ""
	}
	cond := left + " " + d.Comparison.Op + " " + right
	text := fmt.Sprintf("%s is false in `%s` (%s)", phrase.Quote(cond), d.Function,
		placeIn(file, m.root.Show(d.Comparison.Pos.File), d.Comparison.Pos.Line))
	if values := m.values(d.Operands, said{condition: cond, expression: cond}, m.root, maxSaid); values != "" {
		text += ": " + values
	}
	return text
}

// placeIn returns a place with the last element of its file name, as in the histories of objects.
func placeIn(from, file string, line int) string {
	if file != from {
		file = path.Base(file)
	}
	return phrase.Where(from, file, line)
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + ", " + b
}

// operands returns the operands of the violation, and the two sides of the failed comparison. A constant on the left
// is the expected value.
func (m *messenger) operands(cex *found.Counterexample) (ops []found.Operand, actual, expected string) {
	for _, o := range cex.Operands {
		name := o.Text
		if o.Call != "" {
			name, _ = m.callText(&o, m.root)
		}
		ops = append(ops, found.Operand{Text: name, Value: phrase.OneLine(o.Value)})
	}
	c := cex.Comparison
	if c == nil {
		return ops, "", ""
	}
	op, left, right := c.Op, c.Left, c.Right
	if l, r, ok := m.sides(cex); ok && isNumber(l) && !isNumber(r) {
		mirrored := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}
		if to := mirrored[op]; to != "" {
			op = to
		}
		left, right = right, left
	}
	if op == "==" {
		return ops, left, right
	}
	return ops, left, op + " " + right
}

func isNumber(text string) bool {
	text = strings.TrimLeft(text, "+-(")
	return text != "" && csource.IsDigit(text[0])
}
