package diagnostics

import "strings"

// Positions from LLVM are points. This file finds the text that stands there.

// extent returns the end of what stands at a position; without sources the position itself.
func (f *sourceFile) extent(line, column int) (endLine, endColumn int) {
	at, ok := f.offset(line, column)
	if !ok {
		return line, column
	}
	return f.position(extentAt(f.data, at))
}

// textAt returns the text of what stands at a position, on one line; "" without sources.
func (f *sourceFile) textAt(line, column int) string {
	at, ok := f.offset(line, column)
	if !ok {
		return ""
	}
	return codeText(f.data[at:extentAt(f.data, at)])
}

// conditionCalls are the functions and macros whose argument is a condition that has to hold,
// as assertion or as assumption. The value is the number of arguments that belong to it, 0 for all
// (a macro's condition may hold a top-level comma).
var conditionCalls = map[string]int{
	"sassert": 0, "assert": 0, "static_assert": 1, "_Static_assert": 1,
	"__VERIFIER_assert": 0, "__CPROVER_assert": 1, "__SEA_assert": 0,
	"assume": 0, "__SEA_assume": 0, "__VERIFIER_assume": 0, "__CPROVER_assume": 0, "klee_assume": 0,
}

// condition is a condition that was found in the text.
type condition struct {
	// expr is the condition's own text, "" where the call is none of conditionCalls.
	expr []byte
	// whole is the call around it.
	whole string
}

// conditionAt returns the condition of the assertion or assumption at a position. Where the
// position is not that of a call, the line's only such call is taken (a macro may have moved the
// column).
func (f *sourceFile) conditionAt(line, column int) (condition, bool) {
	if at, ok := f.offset(line, column); ok {
		if c, ok := callAt(f.data, at); ok {
			return conditionOf(c), true
		}
	}
	var found *call
	start, ok := f.offset(line, 1)
	if !ok {
		return condition{}, false
	}
	for i, end := start, start+len(f.line(line)); i < end; {
		if i = skipTrivia(f.data, i); i >= end {
			break
		}
		if c, ok := callAt(f.data, i); ok {
			if _, known := conditionCalls[c.name]; known {
				if found != nil {
					return condition{}, false
				}
				found = &c
				i = c.end
				continue
			}
		}
		i = skipToken(f.data, i)
	}
	if found == nil {
		return condition{}, false
	}
	return conditionOf(*found), true
}

func conditionOf(c call) condition {
	out := condition{whole: c.name + "(" + codeText(c.args) + ")"}
	n, known := conditionCalls[c.name]
	if !known {
		return out
	}
	out.expr = c.args
	if n > 0 {
		// The rest of the arguments is commentary.
		_, commas := splitTop(c.args, ",")
		if len(commas) >= n {
			out.expr = c.args[:commas[n-1]]
		}
	}
	return out
}

// branchAt returns the condition of the branch at a position, and whether it is certain to be
// the branch's own, so that it may be said to be true or false. clang gives a branch the position
// of its && or || (the branch decides on the operand before it), of the keyword (loops: the whole
// condition) or of the condition's first byte (if: the last operand).
func (f *sourceFile) branchAt(line, column int) (text string, certain bool) {
	at, ok := f.offset(line, column)
	if !ok {
		return "", false
	}
	if c, ok := callAt(f.data, at); ok {
		switch c.name {
		case "if", "while":
			return codeText(c.args), true
		case "for":
			if parts, _ := splitTop(c.args, ";"); len(parts) == 3 {
				return codeText(parts[1]), true
			}
		}
	}
	head, start, ok := f.headAround(line, at)
	if !ok {
		return f.codeLine(line), false
	}
	if head == "for" {
		parts, seps := splitTop(f.data[start:f.headEnd(start)], ";")
		if len(parts) != 3 {
			return f.codeLine(line), false
		}
		start += seps[0] + 1
		return f.operandAt(start, start+len(parts[1]), at)
	}
	return f.operandAt(start, f.headEnd(start), at)
}

// headAround finds the if, while or for on the line or shortly above it whose brackets hold the
// offset; start is behind its bracket.
func (f *sourceFile) headAround(line, at int) (name string, start int, ok bool) {
	for n := line; n >= 1 && n > line-8; n-- {
		from := f.lines[n-1]
		for i := from; i < at; {
			if i = skipTrivia(f.data, i); i >= at {
				break
			}
			if c, isCall := callAt(f.data, i); isCall && c.end > at && (c.name == "if" || c.name == "while" || c.name == "for") {
				name, start, ok = c.name, c.end-1-len(c.args), true
			}
			i = skipToken(f.data, i)
		}
		if ok {
			return name, start, true
		}
	}
	return "", 0, false
}

// headEnd returns the offset of the bracket that closes the one before start.
func (f *sourceFile) headEnd(start int) int {
	if end, ok := closing(f.data, start-1); ok {
		return end
	}
	return start
}

// operandAt picks from the condition in [start, end) what the branch at offset at decides on.
func (f *sourceFile) operandAt(start, end, at int) (string, bool) {
	cond := f.data[start:end]
	parts, seps := splitTop(cond, "&&", "||")
	whole := codeText(cond)
	if len(parts) == 1 {
		// Operators deeper inside are branches of their own, and a ! around them turns them.
		nested := strings.Contains(whole, "&&") || strings.Contains(whole, "||")
		return whole, !nested
	}
	for i, sep := range seps {
		if start+sep == at {
			return operandText(parts[i])
		}
	}
	if first := start + skipTrivia(cond, 0); at == first {
		return operandText(parts[len(parts)-1])
	}
	return whole, false
}

func operandText(part []byte) (string, bool) {
	text := codeText(part)
	return text, !strings.Contains(text, "&&") && !strings.Contains(text, "||")
}
