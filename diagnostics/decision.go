package diagnostics

import (
	"bytes"
	"strings"
)

// decision finds what the branch at a position decides on: the text of an operand of a condition
// without && and || in it. clang gives such a branch the position of the && or || behind the
// operand; the last operand gets the first byte of the whole condition; loops the keyword, and do
// its closing brace, or the first byte of its statement where that has no braces. The engine tells the truth of the operand without the ! before it, as clang
// turns the branch around instead; inverted tells that there is an odd number of them.
func (f *sourceFile) decision(line, column int) (text string, inverted, ok bool) {
	at, ok := f.offset(line, column)
	if !ok {
		return "", false, false
	}
	src := f.data
	expr := []byte(nil)
	op := operatorAt(src, at)
	switch {
	case op == "&&" || op == "||":
		expr = lastPart(src[f.expressionStart(at):at], false)
	case src[at] == '}':
		w := skipTrivia(src, at+1)
		c, isCall := callAt(src, w)
		if !isCall || c.name != "while" {
			return "", false, false
		}
		expr = c.args
	case f.behindDo(at):
		c, found := whileBehind(src, at)
		if !found {
			return "", false, false
		}
		expr = c.args
	case isIdentStart(src[at]):
		if c, isCall := callAt(src, at); isCall && (isHead(c.name) || c.name == "switch") {
			expr = c.args
			if c.name == "for" {
				parts, _ := splitTop(c.args, ";")
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
	text = codeText(expr)
	if text == "" {
		return "", false, false
	}
	bare := text
	for strings.HasPrefix(bare, "!") && operandEnd([]byte(bare), 1) == len(bare) {
		inverted = !inverted
		bare = strings.TrimSpace(bare[1:])
	}
	return text, inverted, true
}

// behindDo tells whether the statement at an offset is the body of a do.
func (f *sourceFile) behindDo(at int) bool {
	before := bytes.TrimRight(f.data[:at], " \t\r\n")
	word, ok := bytes.CutSuffix(before, []byte("do"))
	return ok && (len(word) == 0 || !isIdentByte(word[len(word)-1])) && f.data[at] != '{'
}

// whileBehind finds the condition of a do whose body is the statement without braces at an offset.
func whileBehind(src []byte, at int) (call, bool) {
	ended := false
	for i, limit := at, min(len(src), at+maxSpan); i < limit; {
		if i = skipTrivia(src, i); i >= limit {
			break
		}
		switch c := src[i]; {
		case c == '(' || c == '[' || c == '{':
			end, ok := closing(src, i)
			if !ok {
				return call{}, false
			}
			ended, i = c == '{', end+1
			continue
		case ended:
			if c, ok := callAt(src, i); ok && c.name == "while" {
				return c, true
			}
		}
		ended = src[i] == ';'
		i = skipToken(src, i)
	}
	return call{}, false
}

// lastPart is the last operand of && and || in expr, however deep; with nested that of an operand
// in brackets, or under a !.
func lastPart(expr []byte, nested bool) []byte {
	for {
		parts, _ := splitTop(expr, "&&", "||")
		expr = trimCode(parts[len(parts)-1])
		inner := expr
		for len(inner) > 0 && inner[0] == '!' {
			inner = trimCode(inner[1:])
		}
		if len(inner) == 0 || inner[0] != '(' {
			return expr
		}
		end, ok := closing(inner, 0)
		if !ok || end != len(inner)-1 {
			return expr
		}
		inner = inner[1:end]
		if p, _ := splitTop(inner, "&&", "||"); len(p) == 1 && len(inner) > 0 && !nested {
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
	start := skipTrivia(expr, 0)
	end := len(expr)
	for end > start && isSpace(expr[end-1]) {
		end--
	}
	return expr[min(start, end):end]
}

// expressionStart returns where the operand of && and || that ends at an offset begins: behind the
// bracket, the separator or the operator before it.
func (f *sourceFile) expressionStart(at int) int {
	line, _ := f.position(at)
	start := f.lines[max(line-6, 0)]
	stack := []int{start}
	for i := start; i < at; {
		if i = skipTrivia(f.data, i); i >= at {
			break
		}
		end := skipToken(f.data, i)
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

// expressionEnd returns where the expression that starts at an offset ends: before the bracket
// that closes what it stands in, a separator, or the ? that it decides.
func expressionEnd(src []byte, at int) int {
	limit := min(len(src), at+maxSpan)
	for i := at; i < limit; {
		if i = skipTrivia(src, i); i >= limit {
			break
		}
		switch src[i] {
		case '(', '[', '{':
			end, ok := closing(src, i)
			if !ok {
				return i
			}
			i = end + 1
			continue
		case ')', ']', '}', ';', ',', '?', ':':
			return i
		}
		i = skipToken(src, i)
	}
	return limit
}

// memberOperator returns where the . or -> stands before the member's name at i, 0 where none does.
func memberOperator(line []byte, i int) int {
	if !isIdentStart(line[i]) || i > 0 && isIdentByte(line[i-1]) {
		return 0
	}
	before := bytes.TrimRight(line[:i], " \t")
	switch {
	case bytes.HasSuffix(before, []byte("->")):
		return len(before) - 2
	case bytes.HasSuffix(before, []byte(".")) && !bytes.HasSuffix(before, []byte("..")):
		return len(before) - 1
	}
	return 0
}

// operationAt returns the expression whose operator, or first byte, stands at a position: what an
// operation is quoted as that went wrong there.
func (f *sourceFile) operationAt(line, column int) (string, bool) {
	at, ok := f.offset(line, column)
	if !ok {
		return "", false
	}
	text := f.line(line)
	start := column - 1
	if op := memberOperator(text, start); op > 0 { // clang gives a member access the member's name
		start = operandStart(text, op)
	} else if c := text[start]; !isIdentByte(c) && strings.IndexByte("\"'(~!", c) < 0 {
		start = operandStart(text, start)
		for start < column-1 && isSpace(text[start]) {
			start++
		}
	}
	// The casts before it belong to it.
	for start > 0 {
		i := len(bytes.TrimRight(text[:start], " \t"))
		if i == 0 || text[i-1] != ')' {
			break
		}
		open, depth := i-1, 1
		for depth > 0 && open > 0 {
			open--
			switch text[open] {
			case ')':
				depth++
			case '(':
				depth--
			}
		}
		if depth > 0 || open > 0 && (isIdentByte(text[open-1]) || isSpace(text[open-1]) && open > 1 && isIdentByte(text[open-2])) {
			break
		}
		start = open
	}
	start += f.lines[line-1]
	end := extentAt(f.data, at)
	if operatorAt(f.data, at) == "=" {
		end = at // what is assigned to went wrong
	}
	expr := codeText(f.data[start:max(end, at)])
	if expr == "" || len(expr) > maxQuote || isKeyword(expr[:wordEnd([]byte(expr), 0)]) {
		return "", false
	}
	return expr, true
}
