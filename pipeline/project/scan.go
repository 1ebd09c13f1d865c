package project

// scanner is a lexer of C for what must be cheap or must not trip over macros and broken
// code: it knows comments, string and character literals, identifiers, and single bytes.
// Preprocessor lines are tokens like any others.
type scanner struct {
	text []byte
	i    int
}

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenComment
	tokenString // string or character literal
	tokenIdent
	tokenNumber
	tokenByte // anything else
)

type token struct {
	kind       tokenKind
	start, end int
}

func isIdentByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= '0' && c <= '9' || c == '$' || c >= 0x80
}

// next skips white space and gives the token behind it.
func (s *scanner) next() token {
	t := s.text
	for s.i < len(t) && (t[s.i] == ' ' || t[s.i] >= '\t' && t[s.i] <= '\r') {
		s.i++
	}
	if s.i >= len(t) {
		return token{tokenEnd, len(t), len(t)}
	}
	start := s.i
	c := t[start]
	switch {
	case c == '/' && start+1 < len(t) && t[start+1] == '/':
		for s.i < len(t) && t[s.i] != '\n' {
			if t[s.i] == '\\' { // a continued comment
				if n := newline(t[s.i+1:]); n > 0 {
					s.i += n
				}
			}
			s.i++
		}
		s.i = min(s.i, len(t))
		end := s.i
		if t[end-1] == '\r' {
			end--
		}
		return token{tokenComment, start, end}
	case c == '/' && start+1 < len(t) && t[start+1] == '*':
		for s.i = start + 2; s.i < len(t); s.i++ {
			if t[s.i] == '*' && s.i+1 < len(t) && t[s.i+1] == '/' {
				s.i += 2
				return token{tokenComment, start, s.i}
			}
		}
		return token{tokenComment, start, len(t)}
	case c == '"' || c == '\'':
		// A literal ends with its line even where the quote is missing.
		for s.i = start + 1; s.i < len(t) && t[s.i] != c && t[s.i] != '\n'; s.i++ {
			if t[s.i] == '\\' {
				s.i += max(1, newline(t[s.i+1:]))
			}
		}
		s.i = min(s.i, len(t))
		if s.i < len(t) && t[s.i] == c {
			s.i++
		}
		return token{tokenString, start, s.i}
	case c >= '0' && c <= '9':
		for s.i < len(t) && (isIdentByte(t[s.i]) || t[s.i] == '.' || t[s.i] == '\'') {
			s.i++
		}
		return token{tokenNumber, start, s.i}
	case isIdentByte(c):
		for s.i < len(t) && isIdentByte(t[s.i]) {
			s.i++
		}
		return token{tokenIdent, start, s.i}
	}
	s.i++
	return token{tokenByte, start, s.i}
}

// newline is the length of the line end that text starts with, or 0.
func newline(text []byte) int {
	if len(text) > 0 && text[0] == '\n' {
		return 1
	}
	if len(text) > 1 && text[0] == '\r' && text[1] == '\n' {
		return 2
	}
	return 0
}
