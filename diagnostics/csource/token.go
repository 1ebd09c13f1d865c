package csource

import "bytes"

// Scanner splits C into tokens, including comments. Preprocessor lines are tokenized like other lines; an escaped
// line end is white space.
type Scanner struct {
	Text []byte
	Next int // offset of the next token
}

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens.
const (
	End Kind = iota // of the text
	Comment
	Literal // a string or a character constant
	Ident   // also keywords
	Number
	Operator // anything else, including brackets and #: the longest operator of C, or one byte
)

// Token is a token at [Start, End) of the text.
type Token struct {
	Kind       Kind
	Start, End int
}

// IsIdentStart reports whether an identifier can begin with c. Bytes of UTF-8 are included.
func IsIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}
func IsIdentByte(c byte) bool { return IsIdentStart(c) || IsDigit(c) }
func IsDigit(c byte) bool     { return c >= '0' && c <= '9' }
func IsSpace(c byte) bool     { return c == ' ' || c >= '\t' && c <= '\r' }

// Scan skips white space and returns the next token.
func (s *Scanner) Scan() Token {
	t := s.Text
	for s.Next < len(t) {
		if IsSpace(t[s.Next]) {
			s.Next++
		} else if n := escapedNewline(t[s.Next:]); n > 0 {
			s.Next += n
		} else {
			break
		}
	}
	start := s.Next
	if start >= len(t) {
		return Token{End, len(t), len(t)}
	}
	kind, end := Operator, 0
	switch c := t[start]; {
	case c == '/' && start+1 < len(t) && t[start+1] == '/':
		kind, end = Comment, LineEnd(t, start)
	case c == '/' && start+1 < len(t) && t[start+1] == '*':
		kind, end = Comment, len(t)
		if n := bytes.Index(t[start+2:], []byte("*/")); n >= 0 {
			end = start + n + 4
		}
	case c == '"' || c == '\'':
		kind, end = Literal, literalEnd(t, start)
	case IsDigit(c):
		kind, end = Number, start+1
		for end < len(t) && (IsIdentByte(t[end]) || t[end] == '.' || t[end] == '\'' ||
			(t[end] == '+' || t[end] == '-') && bytes.IndexByte([]byte("eEpP"), t[end-1]) >= 0) {
			end++
		}
	case IsIdentStart(c):
		kind, end = Ident, WordEnd(t, start)
	default:
		end = start + operatorLength(t[start:])
	}
	s.Next = end
	return Token{kind, start, end}
}

// Code returns the next token other than a comment.
func (s *Scanner) Code() Token {
	for {
		if t := s.Scan(); t.Kind != Comment {
			return t
		}
	}
}

// Of returns the token's text.
func (t Token) Of(text []byte) string { return string(text[t.Start:t.End]) }

// Is reports whether the token is the given operator.
func (t Token) Is(text []byte, operator string) bool {
	return t.Kind == Operator && string(text[t.Start:t.End]) == operator
}

// WordEnd returns the end of the identifier at an offset.
func WordEnd(text []byte, i int) int {
	for i < len(text) && IsIdentByte(text[i]) {
		i++
	}
	return i
}

// LineEnd returns the end of the line at an offset, including its continuation lines.
func LineEnd(text []byte, i int) int {
	for ; i < len(text) && text[i] != '\n'; i++ {
		if n := escapedNewline(text[i:]); n > 0 {
			i += n - 1
		}
	}
	if i > 0 && i < len(text) && text[i-1] == '\r' {
		i--
	}
	return min(i, len(text))
}

// literalEnd returns the end of the literal at an offset. An unterminated literal ends with its line.
func literalEnd(t []byte, start int) int {
	for i := start + 1; i < len(t) && t[i] != '\n'; {
		switch n := escapedNewline(t[i:]); {
		case t[i] == t[start]:
			return i + 1
		case n > 0:
			i += n
		case t[i] == '\\' && i+1 < len(t) && t[i+1] != '\n':
			i += 2
		default:
			i++
		}
		if i >= len(t) || t[i] == '\n' {
			return min(i, len(t))
		}
	}
	return start + 1
}

// escapedNewline returns the length of the escaped line end at the start of text, or 0.
func escapedNewline(text []byte) int {
	switch {
	case len(text) > 1 && text[0] == '\\' && text[1] == '\n':
		return 2
	case len(text) > 2 && text[0] == '\\' && text[1] == '\r' && text[2] == '\n':
		return 3
	}
	return 0
}

// operatorLength returns the length of the operator at the start of text, which must not be empty.
func operatorLength(text []byte) int {
	has := func(i int, c byte) bool { return i < len(text) && text[i] == c }
	switch c := text[0]; c {
	case '<', '>':
		if has(1, c) {
			if has(2, '=') {
				return 3
			}
			return 2
		}
	case '.':
		if has(1, '.') && has(2, '.') {
			return 3
		}
		return 1
	case '-':
		if has(1, '>') || has(1, '-') {
			return 2
		}
	case '+', '&', '|':
		if has(1, c) {
			return 2
		}
	case '=', '!', '*', '/', '%', '^':
	default:
		return 1
	}
	if has(1, '=') {
		return 2
	}
	return 1
}

// SkipTrivia returns the offset behind white space, comments and escaped line ends.
func SkipTrivia(text []byte, i int) int {
	s := Scanner{text, i}
	return s.Code().Start
}

// SkipToken returns the offset behind the token at i.
func SkipToken(text []byte, i int) int {
	s := Scanner{text, i}
	return s.Scan().End
}

// OperatorAt returns the operator at an offset, or the first byte of any other text.
func OperatorAt(text []byte, i int) string { return string(text[i : i+operatorLength(text[i:])]) }

// OneLine returns code on one line without comments. Runs of white space become one space, except in literals.
func OneLine(text []byte) []byte {
	var out []byte
	last := 0
	for s := (Scanner{Text: text}); ; {
		t := s.Code()
		if t.Start > last && len(out) > 0 && t.Kind != End {
			out = append(out, ' ')
		}
		if t.Kind == End {
			return out
		}
		out = append(out, text[t.Start:t.End]...)
		last = t.End
	}
}
