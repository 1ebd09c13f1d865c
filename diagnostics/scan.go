package diagnostics

// A scanner for just enough C: it steps over comments, literals and brackets. It works on text
// before preprocessing, where a macro looks like a call, and never fails: what does not fit ends
// the scan.

import "strings"

// maxSpan limits how many bytes a scan looks at, so that a missing bracket costs little.
const maxSpan = 4096

func isIdentStart(c byte) bool {
	return c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool     { return '0' <= c && c <= '9' }
func isIdentByte(c byte) bool { return isIdentStart(c) || isDigit(c) }
func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

// skipTrivia returns the offset behind white space, comments and escaped line ends.
func skipTrivia(src []byte, i int) int {
	for i < len(src) {
		switch {
		case isSpace(src[i]):
			i++
		case src[i] == '\\' && i+1 < len(src) && (src[i+1] == '\n' || src[i+1] == '\r'):
			i += 2
		case hasAt(src, i, "//"):
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case hasAt(src, i, "/*"):
			i += 2
			for i < len(src) && !hasAt(src, i, "*/") {
				i++
			}
			i = min(i+2, len(src))
		default:
			return i
		}
	}
	return i
}

func hasAt(src []byte, i int, s string) bool {
	return i+len(s) <= len(src) && string(src[i:i+len(s)]) == s
}

// skipToken returns the offset behind the token at i: a word, a number, a literal or an operator.
func skipToken(src []byte, i int) int {
	c := src[i]
	switch {
	case isIdentStart(c):
		return wordEnd(src, i)
	case isDigit(c):
		for i < len(src) && (isIdentByte(src[i]) || src[i] == '.' ||
			(src[i] == '+' || src[i] == '-') && strings.IndexByte("eEpP", src[i-1]) >= 0) {
			i++
		}
		return i
	case c == '"' || c == '\'':
		for i++; i < len(src) && src[i] != '\n'; i++ {
			if src[i] == '\\' {
				i++
			} else if src[i] == c {
				return i + 1
			}
		}
		return min(i, len(src))
	}
	return i + len(operatorAt(src, i))
}

// isKeyword knows the keywords that can stand before an operand or a bracket.
func isKeyword(word string) bool {
	switch word {
	case "if", "while", "for", "switch", "return", "else", "do", "case", "goto", "sizeof":
		return true
	}
	return false
}

func wordEnd(src []byte, i int) int {
	for i < len(src) && isIdentByte(src[i]) {
		i++
	}
	return i
}

// operators, longest first.
var operators = []string{
	"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
}

func operatorAt(src []byte, i int) string {
	for _, op := range operators {
		if hasAt(src, i, op) {
			return op
		}
	}
	return string(src[i : i+1])
}

// closing returns the offset of the bracket that closes the one at i, false where there is none
// within reach.
func closing(src []byte, i int) (int, bool) {
	limit := min(len(src), i+maxSpan)
	var open []byte
	for i < limit {
		i = skipTrivia(src, i)
		if i >= limit {
			break
		}
		switch c := src[i]; c {
		case '(', '[', '{':
			open = append(open, c)
		case ')', ']', '}':
			want := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
			if open[len(open)-1] != want {
				return 0, false
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return i, true
			}
		}
		i = skipToken(src, i)
	}
	return 0, false
}

// splitTop splits src at the top-level occurrences of one of the operators; seps holds their
// offsets. Brackets that do not match end the splitting.
func splitTop(src []byte, ops ...string) (parts [][]byte, seps []int) {
	start := 0
	for i := 0; i < len(src); {
		if i = skipTrivia(src, i); i >= len(src) {
			break
		}
		if strings.IndexByte("([{", src[i]) >= 0 {
			end, ok := closing(src, i)
			if !ok {
				break
			}
			i = end + 1
			continue
		}
		end := skipToken(src, i)
		for _, op := range ops {
			if string(src[i:end]) == op {
				parts, seps = append(parts, src[start:i]), append(seps, i)
				start = end
				break
			}
		}
		i = end
	}
	return append(parts, src[start:]), seps
}

// call is a call or a function-like macro in the text.
type call struct {
	name       string
	start, end int // of the whole, end behind the bracket
	args       []byte
}

// callAt returns the call whose name starts at i.
func callAt(src []byte, i int) (call, bool) {
	if i >= len(src) || !isIdentStart(src[i]) || i > 0 && isIdentByte(src[i-1]) {
		return call{}, false
	}
	w := wordEnd(src, i)
	open := skipTrivia(src, w)
	if open >= len(src) || src[open] != '(' {
		return call{}, false
	}
	end, ok := closing(src, open)
	if !ok {
		return call{}, false
	}
	return call{name: string(src[i:w]), start: i, end: end + 1, args: src[open+1 : end]}, true
}

// extentAt returns the offset behind the call, statement head or expression whose debug position
// is i. clang gives a call its first byte, a binary operation its operator, a subscript its base,
// a member access the member's name, a loop its keyword.
func extentAt(src []byte, i int) int {
	c := src[i]
	switch {
	case isIdentStart(c):
		return wordExtent(src, i)
	case isDigit(c) || c == '"' || c == '\'':
		return skipToken(src, i)
	case c == '(':
		return operandEnd(src, i)
	case isSpace(c) || strings.IndexByte(")]};,{", c) >= 0:
		return i
	}
	op := operatorAt(src, i)
	end := i + len(op)
	if op == "=" || op == "->" || op == "." || op == "?" || op == ":" || op == "[" {
		return end
	}
	return max(end, operandEnd(src, end))
}

func wordExtent(src []byte, i int) int {
	end := wordEnd(src, i)
	switch string(src[i:end]) {
	case "return":
		parts, _ := splitTop(src[end:min(len(src), end+maxSpan)], ";")
		if len(parts) > 1 {
			return end + len(parts[0])
		}
		return end
	case "do", "else", "break", "continue", "goto", "case", "default":
		return end
	}
	for {
		next := skipTrivia(src, end)
		if next >= len(src) || src[next] != '(' && src[next] != '[' {
			return end
		}
		closed, ok := closing(src, next)
		if !ok {
			return end
		}
		end = closed + 1
		if src[next] == '(' {
			return end
		}
	}
}

// operandEnd returns the end of the operand that follows i: prefix operators, a primary
// expression and what is applied to it. Where none follows it returns i.
func operandEnd(src []byte, i int) int {
	at := skipTrivia(src, i)
	for at < len(src) && strings.IndexByte("*&-+!~", src[at]) >= 0 {
		at = skipTrivia(src, at+1)
	}
	if at >= len(src) {
		return i
	}
	var end int
	switch c := src[at]; {
	case c == '(':
		closed, ok := closing(src, at)
		if !ok {
			return i
		}
		end = closed + 1
		// "(type) x" is one operand.
		if next := skipTrivia(src, end); next < len(src) && isIdentByte(src[next]) {
			return operandEnd(src, next)
		}
	case isIdentByte(c) || c == '"' || c == '\'':
		end = skipToken(src, at)
	default:
		return i
	}
	for {
		next := skipTrivia(src, end)
		if next >= len(src) {
			return end
		}
		switch op := operatorAt(src, next); op {
		case "(", "[":
			closed, ok := closing(src, next)
			if !ok {
				return end
			}
			end = closed + 1
		case ".", "->":
			name := skipTrivia(src, next+len(op))
			if name >= len(src) || !isIdentStart(src[name]) {
				return end
			}
			end = wordEnd(src, name)
		default:
			return end
		}
	}
}

// operandStart returns the start of the operand that ends at i, on one line: the left side of a
// binary operator. Where none is recognised it returns i.
func operandStart(line []byte, i int) int {
	at := i
	for at > 0 && (line[at-1] == ' ' || line[at-1] == '\t') {
		at--
	}
	start := at
	for start > 0 {
		switch c := line[start-1]; {
		case c == ')' || c == ']':
			depth := 0
			j := start
			for j > 0 {
				j--
				if line[j] == ')' || line[j] == ']' {
					depth++
				} else if line[j] == '(' || line[j] == '[' {
					depth--
				}
				if depth == 0 {
					break
				}
			}
			if depth != 0 {
				return i
			}
			start = j
			if start > 0 && !isIdentByte(line[start-1]) && line[start-1] != ']' && line[start-1] != ')' {
				return start // a bracketed expression
			}
		case isIdentByte(c):
			for start > 0 && isIdentByte(line[start-1]) {
				start--
			}
			switch {
			case start > 0 && line[start-1] == '.':
				start--
			case start > 1 && line[start-1] == '>' && line[start-2] == '-':
				start -= 2
			default:
				return prefixStart(line, start, i)
			}
		default:
			return i
		}
	}
	return start
}

// prefixStart takes the * of "*p = 0" along, where nothing before it could make it a product.
func prefixStart(line []byte, start, i int) int {
	j := start
	for j > 0 && line[j-1] == '*' {
		j--
	}
	k := j
	for k > 0 && isSpace(line[k-1]) {
		k--
	}
	if k == 0 || strings.IndexByte("(;{},=!&|<>?:", line[k-1]) >= 0 {
		start = j
	}
	if start == i {
		return i
	}
	return start
}
