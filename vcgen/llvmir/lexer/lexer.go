// Package lexer splits LLVM assembly of clang 14 to 23 and of our linker into tokens.
//
// For example, the line
//
//	%x = add i32 %y, 7 ; comment
//
// has the tokens Local, Punct, Word, Word, Local, Punct, Int. A Lexer has one current token; Next moves to the next
// one, Seek to an offset, SkipGroup behind a bracket. An error panics with a *SyntaxError that has the line (Fail).
//
// The package is independent of types, values and instructions.
package lexer

import (
	"bytes"
	"fmt"
)

// Token is the kind of a token of LLVM assembly.
type Token uint8

// Kinds of tokens.
const (
	EOF      Token = iota
	Word           // keyword, type name, opcode
	Label          // name and colon: of a block, or of a field of a metadata node
	Int            // decimal, perhaps negative
	Float          // with a decimal point, or hexadecimal
	Local          // %name
	Global         // @name
	Comdat         // $name
	Group          // #n, a group of attributes
	Node           // !n
	MetaName       // !name
	String         // "..."
	Chars          // c"..."
	Dots           // ...
	Punct          // any other character, see Lexer.Is
)

// Lexer reads tokens from a text. The current token is Text[Start:End].
type Lexer struct {
	Text       []byte
	Kind       Token
	ch         byte // Punct: the character, else 0
	Start, End int
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

// run returns the end of the characters of a class that start at i.
func (l *Lexer) run(i int, class uint8) int {
	for i < len(l.Text) && charClass[l.Text[i]]&class != 0 {
		i++
	}
	return i
}

// SkipSpace returns the start of the next token.
func (l *Lexer) SkipSpace(i int) int {
	for i < len(l.Text) {
		switch {
		case charClass[l.Text[i]]&spaceChar != 0:
			i++
		case l.Text[i] == ';':
			n := bytes.IndexByte(l.Text[i:], '\n')
			if n < 0 {
				return len(l.Text)
			}
			i += n
		case l.Text[i] == '/' && i+1 < len(l.Text) && l.Text[i+1] == '*': // between arguments, from LLVM 22 on
			n := bytes.Index(l.Text[i+2:], []byte("*/"))
			if n < 0 {
				return len(l.Text)
			}
			i += n + 4
		default:
			return i
		}
	}
	return i
}

// quote returns the end of the string that starts at i.
func (l *Lexer) quote(i int) int {
	n := bytes.IndexByte(l.Text[i+1:], '"')
	if n < 0 {
		l.Start = i
		l.Fail("a string does not end")
	}
	return i + n + 2
}

// Seek makes the token at an offset current.
func (l *Lexer) Seek(offset int) {
	l.End = offset
	l.Next()
}

// Next moves to the next token.
func (l *Lexer) Next() {
	i := l.SkipSpace(l.End)
	l.Start, l.ch = i, 0
	if i >= len(l.Text) {
		l.Kind, l.End = EOF, i
		return
	}
	c := l.Text[i]
	switch {
	case charClass[c]&nameChar != 0:
		l.nameOrNumber(i, c)
		return
	case c == '%':
		l.sigil(i, Local)
		return
	case c == '@':
		l.sigil(i, Global)
		return
	case c == '!' && i+1 < len(l.Text) && charClass[l.Text[i+1]]&digitChar != 0:
		l.Kind, l.End = Node, l.run(i+1, digitChar)
		return
	case c == '!' && i+1 < len(l.Text) && (charClass[l.Text[i+1]]&nameChar != 0 || l.Text[i+1] == '\\'):
		l.Kind, l.End = MetaName, i+1
		for l.End < len(l.Text) && (charClass[l.Text[l.End]]&nameChar != 0 || l.Text[l.End] == '\\') {
			l.End++
		}
		return
	case c == '#' && i+1 < len(l.Text) && charClass[l.Text[i+1]]&digitChar != 0:
		l.Kind, l.End = Group, l.run(i+1, digitChar)
		return
	case c == '"':
		l.Kind, l.End = String, l.quote(i)
		if l.End < len(l.Text) && l.Text[l.End] == ':' {
			l.Kind = Label
			l.End++
		}
		return
	}
	l.Kind, l.ch, l.End = Punct, c, i+1
}

// sigil reads a name after % or @.
func (l *Lexer) sigil(i int, kind Token) {
	l.Kind = kind
	if i+1 < len(l.Text) && l.Text[i+1] == '"' {
		l.End = l.quote(i + 1)
		return
	}
	if l.End = l.run(i+1, nameChar); l.End == i+1 {
		l.Fail("a name is missing")
	}
}

// nameOrNumber reads a token that starts with a letter, a digit, a point, or one of _ - $.
func (l *Lexer) nameOrNumber(i int, c byte) {
	wide := l.run(i, nameChar)
	if wide < len(l.Text) && l.Text[wide] == ':' {
		l.Kind, l.End = Label, wide+1
		return
	}
	digits := i
	if c == '-' {
		digits++
	}
	switch {
	case c == 'c' && i+1 < len(l.Text) && l.Text[i+1] == '"':
		l.Kind, l.End = Chars, l.quote(i+1)
	case c == '$':
		l.Kind, l.End = Comdat, wide
		if wide == i+1 && wide < len(l.Text) && l.Text[wide] == '"' {
			l.End = l.quote(wide)
		}
	case c == '.' && bytes.HasPrefix(l.Text[i:], []byte("...")):
		l.Kind, l.End = Dots, i+3
	case digits < len(l.Text) && charClass[l.Text[digits]]&digitChar != 0:
		l.number(i, digits, wide)
	case c == '-' || c == '.':
		l.Kind, l.ch, l.End = Punct, c, i+1
	default:
		l.Kind, l.End = Word, l.run(i, wordChar)
	}
}

// number reads a number whose digits start at digits; wide is the end of the token if it is a name.
func (l *Lexer) number(i, digits, wide int) {
	l.Kind, l.End = Int, l.run(digits, digitChar)
	switch {
	case l.End >= len(l.Text):
	case l.Text[l.End] == 'x' && l.Text[digits] == '0':
		l.Kind, l.End = Float, wide
	case l.Text[l.End] == '.':
		l.Kind, l.End = Float, l.run(l.End+1, digitChar)
		if l.End < len(l.Text) && l.Text[l.End]|0x20 == 'e' {
			l.End++
			if l.End < len(l.Text) && (l.Text[l.End] == '+' || l.Text[l.End] == '-') {
				l.End++
			}
			l.End = l.run(l.End, digitChar)
		}
	case charClass[l.Text[l.End]]&wordChar != 0:
		l.End = wide
		l.Fail("%q is no number", l.Word())
	}
}

// Word returns the text of the current token.
func (l *Lexer) Word() []byte { return l.Text[l.Start:l.End] }

// Is reports whether the current token is the given character.
func (l *Lexer) Is(c byte) bool { return l.ch == c }

// IsWord reports whether the current token is the given keyword.
func (l *Lexer) IsWord(w string) bool { return l.Kind == Word && string(l.Word()) == w }

// Accept reports whether the current token is the given character, and skips it if so.
func (l *Lexer) Accept(c byte) bool {
	if l.ch != c {
		return false
	}
	l.Next()
	return true
}

// AcceptWord reports whether the current token is the given keyword, and skips it if so.
func (l *Lexer) AcceptWord(w string) bool {
	if !l.IsWord(w) {
		return false
	}
	l.Next()
	return true
}

// Expect skips a required character.
func (l *Lexer) Expect(c byte) {
	if !l.Accept(c) {
		l.Fail("%q stands where %q belongs", l.Shown(), c)
	}
}

// ExpectWord skips a required keyword.
func (l *Lexer) ExpectWord(w string) {
	if !l.AcceptWord(w) {
		l.Fail("%q stands where %q belongs", l.Shown(), w)
	}
}

// Comma reports whether the current token is a comma that is not followed by metadata, and skips it if so.
func (l *Lexer) Comma() bool {
	if l.ch != ',' {
		return false
	}
	i := l.SkipSpace(l.End)
	if i+1 < len(l.Text) && l.Text[i] == '!' && charClass[l.Text[i+1]]&(nameChar|digitChar) == nameChar {
		return false
	}
	l.Next()
	return true
}

// Shown returns the current token for messages.
func (l *Lexer) Shown() []byte {
	if l.Kind == EOF {
		return []byte("end of the text")
	}
	return l.Text[l.Start:min(l.End, l.Start+60)]
}

// MaxNumber bounds the numbers of nodes, groups and unnamed values.
const MaxNumber = 1 << 48

// Uint reads a number in [0, limit].
func (l *Lexer) Uint(limit int64) int64 {
	if l.Kind != Int {
		l.Fail("%q stands where a number belongs", l.Shown())
	}
	n := l.Decimal(l.Word(), limit)
	l.Next()
	return n
}

// Decimal returns the value of digits, at most limit.
func (l *Lexer) Decimal(digits []byte, limit int64) int64 {
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' || n > (limit-int64(c-'0'))/10 {
			l.Fail("number %s is out of range", digits)
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// Str reads a string.
func (l *Lexer) Str() string {
	if l.Kind != String {
		l.Fail("%q stands where a string belongs", l.Shown())
	}
	s := string(Unescape(l.Text[l.Start+1 : l.End-1]))
	l.Next()
	return s
}

// Name returns the name of the current Local, Global, Comdat or Label, without sigil, quotes and colon.
func (l *Lexer) Name() []byte {
	s := l.Word()
	if l.Kind == Label {
		s = s[:len(s)-1]
	} else {
		s = s[1:]
	}
	if s[0] != '"' {
		return s
	}
	s = Unescape(s[1 : len(s)-1])
	if Numeral(s) {
		l.Fail("name %q looks like a number", s)
	}
	return s
}

// Numeral reports whether a name is empty or consists of digits. Unquoted, it is the number of a value.
func Numeral(s []byte) bool {
	for _, c := range s {
		if charClass[c]&digitChar == 0 {
			return false
		}
	}
	return true
}

// Unescape replaces \xx by the byte with this hexadecimal number, and \\ by \.
func Unescape(s []byte) []byte {
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

// At reads at another offset of the text and returns to the current token.
func (l *Lexer) At(offset int, read func()) {
	here := *l
	l.Seek(offset)
	read()
	*l = here
}

// SkipGroup skips to the token after the bracket that closes the current one.
//
// It inspects only strings and comments in between.
func (l *Lexer) SkipGroup() {
	depth, open := 0, l.Start
	for i := l.Start; i < len(l.Text); i++ {
		switch l.Text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				l.Seek(i + 1)
				return
			}
		case '"':
			i = l.quote(i) - 1
		case ';', '/':
			i = max(i, l.SkipSpace(i)-1)
		}
	}
	l.Start = open
	l.Fail("a bracket is not closed")
}

// Mentions reports whether a word occurs in a text outside strings and comments.
//
// Strings of LLVM assembly contain neither quotes nor line breaks.
func Mentions(text []byte, word string) bool {
	for i := 0; ; i += len(word) {
		n := bytes.Index(text[i:], []byte(word))
		if n < 0 {
			return false
		}
		i += n
		end := i + len(word)
		if i > 0 && (charClass[text[i-1]]&nameChar != 0 || bytes.IndexByte([]byte("%@!#\"\\"), text[i-1]) >= 0) ||
			end < len(text) && (charClass[text[end]]&nameChar != 0 || text[end] == ':') {
			continue
		}
		line := text[bytes.LastIndexByte(text[:i], '\n')+1 : i]
		if bytes.Count(line, []byte{'"'})%2 == 0 && !isComment(line) {
			return true
		}
	}
}

// isComment reports whether a comment begins in a line, outside strings.
func isComment(line []byte) bool {
	quoted := false
	for _, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ';' && !quoted:
			return true
		}
	}
	return false
}

// IsWordChar reports whether a character may occur in a keyword.
func IsWordChar(c byte) bool { return charClass[c]&wordChar != 0 }

// LineEnd returns the next end of a line outside brackets.
func (l *Lexer) LineEnd(i int) int {
	text := l.Text
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '"':
			i = l.quote(i) - 1
		case ';':
			if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
				i += n - 1
			} else {
				i = len(text) - 1
			}
		case '\n':
			if depth <= 0 {
				return i
			}
		}
	}
	return i
}

// SyntaxError is the error for a rejected text.
//
// The text is not LLVM assembly, has unknown words, or is inconsistent.
type SyntaxError struct {
	Line    int    // from 1
	Message string // without the line
	Source  string // the line, possibly truncated
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("llvmir: line %d: %s, in: %s", e.Line, e.Message, e.Source)
}

// maxShownLine bounds the source line in an error, in bytes.
const maxShownLine = 160

// Fail rejects the text, with the line of the current token.
func (l *Lexer) Fail(format string, args ...any) {
	at := min(l.Start, len(l.Text))
	line := 1 + bytes.Count(l.Text[:at], []byte{'\n'})
	source, _, _ := bytes.Cut(l.Text[bytes.LastIndexByte(l.Text[:at], '\n')+1:], []byte{'\n'})
	source = bytes.TrimSpace(source)
	if len(source) > maxShownLine {
		source = append(source[:maxShownLine:maxShownLine], "..."...)
	}
	panic(&SyntaxError{Line: line, Message: fmt.Sprintf(format, args...), Source: string(source)})
}
