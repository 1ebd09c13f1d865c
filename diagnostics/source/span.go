package source

import (
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Condition is a condition in the source text.
type Condition struct {
	// Expr is the condition's own text, or "" if the call has none (language.Entry.HasCondition).
	Expr []byte
	// Whole is the call around it.
	Whole string
}

// Condition returns the condition of the assertion or assumption at a position. If no call is at the position, it is
// the only such call of the line (a macro may have moved the column).
func (f *File) Condition(line, column int) (Condition, bool) {
	if at, ok := f.Offset(line, column); ok {
		if c, ok := csource.CallAt(f.data, at); ok && !csource.IsKeyword(c.Name) {
			return conditionOf(c), true
		}
	}
	var found *csource.Invocation
	start, ok := f.Offset(line, 1)
	if !ok {
		return Condition{}, false
	}
	for i, end := start, start+min(len(f.Line(line)), csource.MaxSpan); i < end; {
		if i = csource.SkipTrivia(f.data, i); i >= end {
			break
		}
		token := csource.SkipToken(f.data, i)
		if language.Lookup(string(f.data[i:token])).HasCondition() {
			if c, ok := csource.CallAt(f.data, i); ok {
				if found != nil {
					return Condition{}, false
				}
				found = &c
				token = c.End
			}
		}
		i = token
	}
	if found == nil {
		return Condition{}, false
	}
	return conditionOf(*found), true
}

func conditionOf(c csource.Invocation) Condition {
	out := Condition{Whole: c.Name + "(" + Code(c.Args) + ")"}
	called := language.Lookup(c.Name)
	if !called.HasCondition() {
		return out
	}
	out.Expr = c.Args
	if called.Described {
		if _, commas := csource.Split(c.Args, ","); len(commas) > 0 {
			out.Expr = c.Args[:commas[0]]
		}
	}
	return out
}

// Branch returns the condition of the branch at a position on one line; see BranchSpan.
func (f *File) Branch(line, column int) (text string, certain bool) {
	start, end, certain, ok := f.BranchSpan(line, column)
	if !ok {
		return "", false
	}
	return Code(f.data[start:end]), certain
}

// BranchSpan returns the range of the condition of the branch at a position, or the line if no condition is found.
// certain reports that the branch tests exactly this condition, so that a sentence may call it true or false.
//
// clang locates a branch at its && or || (it tests the operand before it), at the keyword (loops: the whole
// condition) or at the condition's first byte (if: the last operand).
func (f *File) BranchSpan(line, column int) (start, end int, certain, ok bool) {
	at, ok := f.Offset(line, column)
	if !ok {
		return 0, 0, false, false
	}
	if f.rust { // the text need not be the condition: for a sum, the branch tests its overflow
		start = f.lines[line-1]
		start, end = f.trim(start, start+len(f.Line(line)))
		return start, end, false, true
	}
	name, start := "", 0
	if c, isCall := csource.CallAt(f.data, at); isCall && isHead(c.Name) {
		// At the keyword the branch tests the whole condition.
		name, start = c.Name, c.End-1-len(c.Args)
	} else if name, start, ok = f.headAround(line, at); !ok {
		lineStart := f.lines[line-1]
		return lineStart, lineStart + len(f.Line(line)), false, true
	}
	end = f.headEnd(start)
	if name == "for" {
		_, seps := csource.Split(f.data[start:end], ";")
		if len(seps) != 2 {
			return start, end, false, true
		}
		start, end = start+seps[0]+1, start+seps[1]
	}
	if at < start && csource.IsIdentStart(f.data[at]) {
		start, end = f.trim(start, end)
		return start, end, true, true
	}
	start, end, certain = f.operandAt(start, end, at)
	return start, end, certain, true
}

// SwitchSpan returns the range of the controlling expression of the switch at a position.
func (f *File) SwitchSpan(line, column int) (start, end int, ok bool) {
	if f == nil || f.rust {
		return 0, 0, false
	}
	at, ok := f.Offset(line, column)
	if !ok {
		return 0, 0, false
	}
	c, isCall := csource.CallAt(f.data, at)
	if !isCall || c.Name != "switch" {
		return 0, 0, false
	}
	start, end = f.trim(c.End-1-len(c.Args), c.End-1)
	return start, end, end > start
}

// Switch returns the controlling expression of the switch at a position, or "" if it is not certain.
func (f *File) Switch(line, column int) string {
	if start, end, ok := f.SwitchSpan(line, column); ok {
		return string(csource.OneLine(f.data[start:end]))
	}
	return ""
}

func isHead(name string) bool { return name == "if" || name == "while" || name == "for" }

// trim drops white space and comments at the start and white space at the end.
func (f *File) trim(start, end int) (int, int) {
	start = min(csource.SkipTrivia(f.data, start), end)
	for end > start && csource.IsSpace(f.data[end-1]) {
		end--
	}
	return start, end
}

// headAround returns the if, while or for on the line or shortly above it whose brackets contain the offset; start is
// behind its bracket.
func (f *File) headAround(line, at int) (name string, start int, ok bool) {
	for n := line; n >= 1 && n > line-8; n-- {
		// The search is limited to csource.MaxSpan, like the distance of matching brackets.
		for i := max(f.lines[n-1], at-csource.MaxSpan); i < at; {
			if i = csource.SkipTrivia(f.data, i); i >= at {
				break
			}
			token := csource.SkipToken(f.data, i)
			if isHead(string(f.data[i:token])) {
				if c, isCall := csource.CallAt(f.data, i); isCall && c.End > at {
					name, start, ok = c.Name, c.End-1-len(c.Args), true
				}
			}
			i = token
		}
		if ok {
			return name, start, true
		}
	}
	return "", 0, false
}

// headEnd returns the offset of the bracket that closes the one before start.
func (f *File) headEnd(start int) int {
	if end, ok := csource.Closing(f.data, start-1); ok {
		return end
	}
	return start
}

// operandAt returns the operand of the condition in [start, end) that the branch at offset at tests.
func (f *File) operandAt(start, end, at int) (from, to int, certain bool) {
	start, end = f.trim(start, end)
	_, seps := csource.Split(f.data[start:end], "&&", "||")
	from, to, certain = start, end, len(seps) == 0
	switch {
	case len(seps) == 0:
	case at == start:
		from, certain = start+seps[len(seps)-1]+2, true
	default:
		for i, sep := range seps {
			if start+sep == at {
				to, certain = at, true
				if i > 0 {
					from = start + seps[i-1] + 2
				}
			}
		}
	}
	from, to = f.trim(from, to)
	// Operators inside the operand are branches of their own, and a ! around them swaps their targets.
	if text := string(f.data[from:to]); strings.Contains(text, "&&") || strings.Contains(text, "||") {
		certain = false
	}
	return from, to, certain
}

// Text returns a name of the condition: its own text, or the call if its text is a constant.
func (c Condition) Text() string {
	expr := Code(c.Expr)
	if expr == "" || isConstant(expr) {
		return c.Whole
	}
	return expr
}

// Constant reports whether the condition is only a word or number such as 0 or false.
func (c Condition) Constant() bool {
	expr := Code(c.Expr)
	return expr != "" && isConstant(expr)
}

// isConstant reports whether an expression is only a word or number, or empty.
func isConstant(expr string) bool {
	return expr == "false" || expr == "true" || strings.Trim(expr, "0123456789") == ""
}
