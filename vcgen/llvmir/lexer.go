package llvmir

import (
	"bytes"
	"fmt"
)

// token is the kind of a token of LLVM assembly.
type token uint8

const (
	tokEOF      token = iota
	tokWord           // keyword, type name, opcode
	tokLabel          // name and colon: of a block, or of a field of a metadata node
	tokInt            // decimal, perhaps negative
	tokFloat          // with a decimal point, or hexadecimal
	tokLocal          // %name
	tokGlobal         // @name
	tokComdat         // $name
	tokGroup          // #n, a group of attributes
	tokNode           // !n
	tokMetaName       // !name
	tokString         // "..."
	tokChars          // c"..."
	tokDots           // ...
	tokPunct          // any other character, see lexer.ch
)

// lexer reads tokens from a text. The current token is text[start:end].
type lexer struct {
	text       []byte
	kind       token
	ch         byte // tokPunct: the character, else 0
	start, end int
}

// Classes of characters.
const (
	wordChar  = 1 << iota // of a keyword
	nameChar              // of a name without quotes
	digitChar             // decimal
	spaceChar
)

var charClass = func() (class [256]uint8) {
	for c := range class {
		switch {
		case c >= '0' && c <= '9':
			class[c] = wordChar | nameChar | digitChar
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_':
			class[c] = wordChar | nameChar
		case c == '-' || c == '$' || c == '.':
			class[c] = nameChar
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			class[c] = spaceChar
		}
	}
	return
}()

// run returns the end of the characters of a class that begin at i.
func (l *lexer) run(i int, class uint8) int {
	for i < len(l.text) && charClass[l.text[i]]&class != 0 {
		i++
	}
	return i
}

// skipSpace returns where the next token begins.
func (l *lexer) skipSpace(i int) int {
	for i < len(l.text) {
		switch {
		case charClass[l.text[i]]&spaceChar != 0:
			i++
		case l.text[i] == ';':
			n := bytes.IndexByte(l.text[i:], '\n')
			if n < 0 {
				return len(l.text)
			}
			i += n
		case l.text[i] == '/' && i+1 < len(l.text) && l.text[i+1] == '*': // between arguments, from LLVM 22 on
			n := bytes.Index(l.text[i+2:], []byte("*/"))
			if n < 0 {
				return len(l.text)
			}
			i += n + 4
		default:
			return i
		}
	}
	return i
}

// quote returns the end of the string whose quote stands at i.
func (l *lexer) quote(i int) int {
	n := bytes.IndexByte(l.text[i+1:], '"')
	if n < 0 {
		l.start = i
		l.fail("a string does not end")
	}
	return i + n + 2
}

// seek makes the token at an offset the current one.
func (l *lexer) seek(offset int) {
	l.end = offset
	l.next()
}

// next goes to the next token.
func (l *lexer) next() {
	i := l.skipSpace(l.end)
	l.start, l.ch = i, 0
	if i >= len(l.text) {
		l.kind, l.end = tokEOF, i
		return
	}
	c := l.text[i]
	switch {
	case charClass[c]&nameChar != 0:
		l.nameOrNumber(i, c)
		return
	case c == '%':
		l.sigil(i, tokLocal)
		return
	case c == '@':
		l.sigil(i, tokGlobal)
		return
	case c == '!' && i+1 < len(l.text) && charClass[l.text[i+1]]&digitChar != 0:
		l.kind, l.end = tokNode, l.run(i+1, digitChar)
		return
	case c == '!' && i+1 < len(l.text) && (charClass[l.text[i+1]]&nameChar != 0 || l.text[i+1] == '\\'):
		l.kind, l.end = tokMetaName, i+1
		for l.end < len(l.text) && (charClass[l.text[l.end]]&nameChar != 0 || l.text[l.end] == '\\') {
			l.end++
		}
		return
	case c == '#' && i+1 < len(l.text) && charClass[l.text[i+1]]&digitChar != 0:
		l.kind, l.end = tokGroup, l.run(i+1, digitChar)
		return
	case c == '"':
		l.kind, l.end = tokString, l.quote(i)
		if l.end < len(l.text) && l.text[l.end] == ':' {
			l.kind = tokLabel
			l.end++
		}
		return
	}
	l.kind, l.ch, l.end = tokPunct, c, i+1
}

// sigil reads a name behind % or @.
func (l *lexer) sigil(i int, kind token) {
	l.kind = kind
	if i+1 < len(l.text) && l.text[i+1] == '"' {
		l.end = l.quote(i + 1)
		return
	}
	if l.end = l.run(i+1, nameChar); l.end == i+1 {
		l.fail("a name is missing")
	}
}

// nameOrNumber reads what begins with a letter, a digit, or one of _ - $ and the point.
func (l *lexer) nameOrNumber(i int, c byte) {
	wide := l.run(i, nameChar)
	if wide < len(l.text) && l.text[wide] == ':' {
		l.kind, l.end = tokLabel, wide+1
		return
	}
	digits := i
	if c == '-' {
		digits++
	}
	switch {
	case c == 'c' && i+1 < len(l.text) && l.text[i+1] == '"':
		l.kind, l.end = tokChars, l.quote(i+1)
	case c == '$':
		l.kind, l.end = tokComdat, wide
		if wide == i+1 && wide < len(l.text) && l.text[wide] == '"' {
			l.end = l.quote(wide)
		}
	case c == '.' && bytes.HasPrefix(l.text[i:], []byte("...")):
		l.kind, l.end = tokDots, i+3
	case digits < len(l.text) && charClass[l.text[digits]]&digitChar != 0:
		l.number(i, digits, wide)
	case c == '-' || c == '.':
		l.kind, l.ch, l.end = tokPunct, c, i+1
	default:
		l.kind, l.end = tokWord, l.run(i, wordChar)
	}
}

// number reads a number whose digits begin at digits; wide is where a name would end.
func (l *lexer) number(i, digits, wide int) {
	l.kind, l.end = tokInt, l.run(digits, digitChar)
	switch {
	case l.end >= len(l.text):
	case l.text[l.end] == 'x' && l.text[digits] == '0':
		l.kind, l.end = tokFloat, wide
	case l.text[l.end] == '.':
		l.kind, l.end = tokFloat, l.run(l.end+1, digitChar)
		if l.end < len(l.text) && l.text[l.end]|0x20 == 'e' {
			l.end++
			if l.end < len(l.text) && (l.text[l.end] == '+' || l.text[l.end] == '-') {
				l.end++
			}
			l.end = l.run(l.end, digitChar)
		}
	case charClass[l.text[l.end]]&wordChar != 0:
		l.end = wide
		l.fail("%q is no number", l.word())
	}
}

// word is the current token as it stands in the text.
func (l *lexer) word() []byte { return l.text[l.start:l.end] }

// is reports whether the current token is that character.
func (l *lexer) is(c byte) bool { return l.ch == c }

// isWord reports whether the current token is that keyword.
func (l *lexer) isWord(w string) bool { return l.kind == tokWord && string(l.word()) == w }

// accept skips a character if it is the current token.
func (l *lexer) accept(c byte) bool {
	if l.ch != c {
		return false
	}
	l.next()
	return true
}

// acceptWord skips a keyword if it is the current token.
func (l *lexer) acceptWord(w string) bool {
	if !l.isWord(w) {
		return false
	}
	l.next()
	return true
}

// expect skips a character that has to stand here.
func (l *lexer) expect(c byte) {
	if !l.accept(c) {
		l.fail("%q stands where %q belongs", l.shown(), c)
	}
}

// expectWord skips a keyword that has to stand here.
func (l *lexer) expectWord(w string) {
	if !l.acceptWord(w) {
		l.fail("%q stands where %q belongs", l.shown(), w)
	}
}

// comma skips a comma that something else than metadata follows.
func (l *lexer) comma() bool {
	if l.ch != ',' {
		return false
	}
	i := l.skipSpace(l.end)
	if i+1 < len(l.text) && l.text[i] == '!' && charClass[l.text[i+1]]&(nameChar|digitChar) == nameChar {
		return false
	}
	l.next()
	return true
}

// shown is the current token for messages.
func (l *lexer) shown() []byte {
	if l.kind == tokEOF {
		return []byte("end of the text")
	}
	return l.text[l.start:min(l.end, l.start+60)]
}

// maxNumber bounds the numbers of nodes, groups and values without names.
const maxNumber = 1 << 48

// uint reads a number that is not negative and at most limit.
func (l *lexer) uint(limit int64) int64 {
	if l.kind != tokInt {
		l.fail("%q stands where a number belongs", l.shown())
	}
	n := l.decimal(l.word(), limit)
	l.next()
	return n
}

// decimal is the value of digits, at most limit.
func (l *lexer) decimal(digits []byte, limit int64) int64 {
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' || n > (limit-int64(c-'0'))/10 {
			l.fail("number %s is out of range", digits)
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// str reads a string.
func (l *lexer) str() string {
	if l.kind != tokString {
		l.fail("%q stands where a string belongs", l.shown())
	}
	s := string(unescape(l.text[l.start+1 : l.end-1]))
	l.next()
	return s
}

// name is the name of the current tokLocal, tokGlobal, tokComdat or tokLabel, without sigil, quotes and colon.
func (l *lexer) name() []byte {
	s := l.word()
	if l.kind == tokLabel {
		s = s[:len(s)-1]
	} else {
		s = s[1:]
	}
	if s[0] != '"' {
		return s
	}
	s = unescape(s[1 : len(s)-1])
	if numeral(s) {
		l.fail("name %q looks like a number", s)
	}
	return s
}

// numeral reports whether a name is empty or nothing but digits. Without quotes that is a value's number.
func numeral(s []byte) bool {
	for _, c := range s {
		if charClass[c]&digitChar == 0 {
			return false
		}
	}
	return true
}

// unescape replaces \xx by the byte with that hexadecimal number, and \\ by \.
func unescape(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			if i+1 < len(s) && s[i+1] == '\\' {
				i++
			} else if i+2 < len(s) && hexDigit(s[i+1]) >= 0 && hexDigit(s[i+2]) >= 0 {
				out = append(out, byte(hexDigit(s[i+1])<<4|hexDigit(s[i+2])))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// skipGroup goes behind the bracket that closes the current one, without looking at what stands between them but for
// strings and comments.
func (l *lexer) skipGroup() {
	depth, open := 0, l.start
	for i := l.start; i < len(l.text); i++ {
		switch l.text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				l.seek(i + 1)
				return
			}
		case '"':
			i = l.quote(i) - 1
		case ';', '/':
			i = max(i, l.skipSpace(i)-1)
		}
	}
	l.start = open
	l.fail("a bracket is not closed")
}

// SyntaxError is the error of a text that is refused: no LLVM assembly, with words that are not known here, or not
// consistent.
type SyntaxError struct {
	Line    int    // from 1
	Message string // without the line
	Source  string // the line, which may be cut
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("llvmir: line %d: %s, in: %s", e.Line, e.Message, e.Source)
}

// maxShownLine bounds the line of the text that is shown with an error, in bytes.
const maxShownLine = 160

// fail gives the reading up, with the line of the current token.
func (l *lexer) fail(format string, args ...any) {
	at := min(l.start, len(l.text))
	line := 1 + bytes.Count(l.text[:at], []byte{'\n'})
	source, _, _ := bytes.Cut(l.text[bytes.LastIndexByte(l.text[:at], '\n')+1:], []byte{'\n'})
	source = bytes.TrimSpace(source)
	if len(source) > maxShownLine {
		source = append(source[:maxShownLine:maxShownLine], "..."...)
	}
	panic(&SyntaxError{Line: line, Message: fmt.Sprintf(format, args...), Source: string(source)})
}
