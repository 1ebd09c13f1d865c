package source

import (
	"bytes"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
)

// Decision returns the text of the operand that the branch at a position tests, without && and || in it. clang
// locates such a branch
//
//   - at the && or || behind the operand,
//   - at the first byte of the whole condition, for the last operand,
//   - at the keyword of a loop,
//   - at the closing brace of do, or the first byte of its statement if that has no braces.
//
// For a leading ! clang tests the rest of the operand and swaps the targets of the branch. The text includes the !;
// inverted reports an odd number of them.
func (f *File) Decision(line, column int) (text string, inverted, ok bool) {
	at, ok := f.Offset(line, column)
	if !ok {
		return "", false, false
	}
	src := f.data
	expr := []byte(nil)
	op := csource.OperatorAt(src, at)
	switch {
	case op == "&&" || op == "||":
		expr = lastPart(src[f.expressionStart(at):at], false)
	case src[at] == '}':
		w := csource.SkipTrivia(src, at+1)
		c, isCall := csource.CallAt(src, w)
		if !isCall || c.Name != "while" {
			return "", false, false
		}
		expr = c.Args
	case f.behindDo(at):
		c, found := whileBehind(src, at)
		if !found {
			return "", false, false
		}
		expr = c.Args
	case csource.IsIdentStart(src[at]):
		if c, isCall := csource.CallAt(src, at); isCall && (isHead(c.Name) || c.Name == "switch") {
			expr = c.Args
			if c.Name == "for" {
				parts, _ := csource.Split(c.Args, ";")
				if len(parts) != 3 {
					return "", false, false
				}
				expr = parts[1]
			}
			break
		}
		fallthrough
	default:
		expr = lastPart(src[at:expressionEnd(src, at)], true)
	}
	text = Code(expr)
	if text == "" {
		return "", false, false
	}
	return text, Inverted(text), true
}

// Inverted reports whether an odd number of ! precedes an operand, for which clang swaps the targets of the branch.
func Inverted(text string) (inverted bool) {
	for strings.HasPrefix(text, "!") && negated(text) {
		inverted = !inverted
		text = strings.TrimSpace(text[1:])
	}
	return inverted
}

// behindDo reports whether the statement at an offset is the body of a do.
func (f *File) behindDo(at int) bool {
	before := bytes.TrimRight(f.data[:at], " \t\r\n")
	word, ok := bytes.CutSuffix(before, []byte("do"))
	return ok && (len(word) == 0 || !csource.IsIdentByte(word[len(word)-1])) && f.data[at] != '{'
}

// whileBehind returns the condition of a do whose body is the statement without braces at an offset.
func whileBehind(src []byte, at int) (csource.Invocation, bool) {
	ended := false
	for i, limit := at, min(len(src), at+csource.MaxSpan); i < limit; {
		if i = csource.SkipTrivia(src, i); i >= limit {
			break
		}
		switch c := src[i]; {
		case c == '(' || c == '[' || c == '{':
			end, ok := csource.Closing(src, i)
			if !ok {
				return csource.Invocation{}, false
			}
			ended, i = c == '{', end+1
			continue
		case ended:
			if c, ok := csource.CallAt(src, i); ok && c.Name == "while" {
				return c, true
			}
		}
		ended = src[i] == ';'
		i = csource.SkipToken(src, i)
	}
	return csource.Invocation{}, false
}

// lastPart returns the last operand of && and || in expr, at any depth. With nested, it also descends into brackets
// and under a !.
func lastPart(expr []byte, nested bool) []byte {
	for {
		parts, _ := csource.Split(expr, "&&", "||")
		expr = trimCode(parts[len(parts)-1])
		inner := expr
		for len(inner) > 0 && inner[0] == '!' {
			inner = trimCode(inner[1:])
		}
		if len(inner) == 0 || inner[0] != '(' {
			return expr
		}
		end, ok := csource.Closing(inner, 0)
		if !ok || end != len(inner)-1 {
			return expr
		}
		inner = inner[1:end]
		if p, _ := csource.Split(inner, "&&", "||"); len(p) == 1 && len(inner) > 0 && !nested {
			return expr
		} else if len(p) == 1 {
			if strings.HasPrefix(string(expr), "(") {
				return trimCode(inner)
			}
			return expr
		}
		expr = inner
	}
}

func trimCode(expr []byte) []byte {
	start := csource.SkipTrivia(expr, 0)
	end := len(expr)
	for end > start && csource.IsSpace(expr[end-1]) {
		end--
	}
	return expr[min(start, end):end]
}

// expressionStart returns the start of the operand of && and || that ends at an offset. It is behind the bracket, the
// separator or the operator before it.
func (f *File) expressionStart(at int) int {
	line, _ := f.Position(at)
	start := f.lines[max(line-6, 0)]
	stack := []int{start}
	for i := start; i < at; {
		if i = csource.SkipTrivia(f.data, i); i >= at {
			break
		}
		end := csource.SkipToken(f.data, i)
		top := &stack[len(stack)-1]
		switch tok := string(f.data[i:end]); tok {
		case "(", "[", "{":
			stack = append(stack, end)
		case ")", "]", "}":
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
			if tok == "}" {
				stack[len(stack)-1] = end
			}
		case ";", ",", "?", ":", "=", "&&", "||", "return", "+=", "-=", "|=", "&=":
			*top = end
		}
		i = end
	}
	return stack[len(stack)-1]
}

// expressionEnd returns the end of the expression that starts at an offset: the enclosing bracket, a separator, or
// the ? whose condition it is.
func expressionEnd(src []byte, at int) int {
	limit := min(len(src), at+csource.MaxSpan)
	for i := at; i < limit; {
		if i = csource.SkipTrivia(src, i); i >= limit {
			break
		}
		switch src[i] {
		case '(', '[', '{':
			end, ok := csource.Closing(src, i)
			if !ok {
				return i
			}
			i = end + 1
			continue
		case ')', ']', '}', ';', ',', '?', ':':
			return i
		}
		i = csource.SkipToken(src, i)
	}
	return limit
}

// negated reports whether a leading ! applies to the whole expression. The grammar parses !n-- as (!n)--.
func negated(expr string) bool {
	const before = "int x = "
	_, end := csource.NewSource([]byte(before+expr+";")).Range(len(before), csource.Operation)
	rest := strings.TrimSpace(expr[min(max(end-len(before), 0), len(expr)):])
	for strings.HasPrefix(rest, "++") || strings.HasPrefix(rest, "--") {
		rest = strings.TrimSpace(rest[2:])
	}
	return rest == ""
}

// Operation returns the source of the expression whose operator, or first byte, is at a position, including the casts
// before it. Messages quote it.
func (f *File) Operation(line, column int) (string, bool) {
	at, ok := f.Offset(line, column)
	if !ok {
		return "", false
	}
	start, end := f.parsed.Value(at)
	expr := Code(f.data[start:end])
	if expr == "" || len(expr) > phrase.MaxQuote || csource.IsKeyword(expr[:csource.WordEnd([]byte(expr), 0)]) {
		return "", false
	}
	return expr, true
}

// Sides returns both sides of the comparison whose operator is at a position.
func (f *File) Sides(line, column int, op string) (left, right string, ok bool) {
	at, ok := f.Offset(line, column)
	if !ok {
		return "", "", false
	}
	if csource.OperatorAt(f.data, at) != op {
		// In a macro, such as assert, everything has the macro's position.
		cond, ok := f.Condition(line, column)
		parts, _ := csource.Split(cond.Expr, op)
		if all, _ := csource.Split(cond.Expr, "&&", "||", "?"); !ok || len(parts) != 2 || len(all) != 1 {
			return "", "", false
		}
		left, right = Code(parts[0]), Code(parts[1])
		return left, right, left != "" && right != ""
	}
	behind := at + len(op)
	l := Code(f.data[f.expressionStart(at):at])
	r := f.data[behind:expressionEnd(f.data, behind)]
	parts, _ := csource.Split(r, "&&", "||")
	left, right = l, Code(parts[0])
	return left, right, left != "" && right != ""
}

// Call returns the call at a position.
func (f *File) Call(line, column int) (csource.Invocation, bool) {
	at, ok := f.Offset(line, column)
	if !ok {
		return csource.Invocation{}, false
	}
	return csource.CallAt(f.data, at)
}
