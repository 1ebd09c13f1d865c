// Package tomledit computes edits of TOML that preserve comments and layout:
//
//	[check]
//	unwind = 3 # three
//
// with SetKey(text, &tables[1], "unwind", "8") becomes
//
//	[check]
//	unwind = 8 # three
//
// Scan splits a text into tables and pairs; SetKey, SetSubkey and AppendTable return edits. The text is scanned, not
// decoded; Scan returns an error for a text that it cannot parse. The package does not depend on the meaning of keys,
// on files or on LSP.
package tomledit

import (
	"fmt"
	"strconv"
	"strings"
)

// Pair is a key with its value; offsets are in bytes.
type Pair struct {
	Key        []string // the parts of a dotted key
	ValueStart int
	ValueEnd   int
}

// Table is a header with the pairs that follow it.
type Table struct {
	Name  []string // nil before the first header
	Array bool     // [[name]]
	Start int      // of the header, or of the text before the first one
	Line  int      // of the header, from 1
	Pairs []Pair
	Last  int // end of the last pair's line without its line end, or of the header's
}

// Edit replaces the bytes [Start, End).
type Edit struct {
	Start, End int
	Text       string
}

type scanner struct {
	text string
	i    int
}

// Scan returns the tables of a valid TOML text.
func Scan(text string) ([]Table, error) {
	s := &scanner{text: text}
	if strings.HasPrefix(text, "\ufeff") {
		s.i = len("\ufeff")
	}
	tables := []Table{{Line: 0, Start: s.i, Last: s.i}}
	for {
		s.space(true)
		t := &tables[len(tables)-1]
		if s.i >= len(text) {
			return tables, nil
		}
		if s.peek() == '[' {
			next := Table{Start: s.i, Line: 1 + strings.Count(text[:s.i], "\n"), Array: strings.HasPrefix(text[s.i:], "[[")}
			s.i++
			if next.Array {
				s.i++
			}
			var err error
			if next.Name, err = s.key(); err != nil {
				return nil, err
			}
			for s.peek() == ']' {
				s.i++
			}
			next.Last = s.i
			tables = append(tables, next)
			continue
		}
		p, err := s.pair()
		if err != nil {
			return nil, err
		}
		t.Pairs = append(t.Pairs, p)
		// A comment behind the value belongs to it.
		t.Last = p.ValueEnd + len(strings.TrimRight(untilLineEnd(text[p.ValueEnd:]), " \t\r"))
	}
}

func untilLineEnd(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i]
	}
	return s
}

func (s *scanner) peek() byte {
	if s.i < len(s.text) {
		return s.text[s.i]
	}
	return 0
}

// space skips white space; with lines, also line ends and comments.
func (s *scanner) space(lines bool) {
	for s.i < len(s.text) {
		switch c := s.text[s.i]; {
		case c == ' ' || c == '\t':
			s.i++
		case lines && (c == '\n' || c == '\r'):
			s.i++
		case lines && c == '#':
			s.i += len(untilLineEnd(s.text[s.i:]))
		default:
			return
		}
	}
}

func (s *scanner) bad() error { return fmt.Errorf("not understood at byte %d", s.i) }

func (s *scanner) key() ([]string, error) {
	var parts []string
	for {
		s.space(false)
		start := s.i
		switch c := s.peek(); {
		case c == '"' || c == '\'':
			if err := s.value(); err != nil {
				return nil, err
			}
			part := s.text[start+1 : s.i-1]
			if c == '"' {
				if unquoted, err := strconv.Unquote(s.text[start:s.i]); err == nil {
					part = unquoted
				}
			}
			parts = append(parts, part)
		default:
			for isBare(s.peek()) {
				s.i++
			}
			if s.i == start {
				return nil, s.bad()
			}
			parts = append(parts, s.text[start:s.i])
		}
		s.space(false)
		if s.peek() != '.' {
			return parts, nil
		}
		s.i++
	}
}

func (s *scanner) pair() (Pair, error) {
	var p Pair
	var err error
	if p.Key, err = s.key(); err != nil {
		return p, err
	}
	if s.peek() != '=' {
		return p, s.bad()
	}
	s.i++
	s.space(false)
	p.ValueStart = s.i
	err = s.value()
	p.ValueEnd = s.i
	return p, err
}

// value skips a value.
func (s *scanner) value() error {
	rest := s.text[s.i:]
	switch {
	case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, `'''`):
		for i := 3; i < len(rest); i++ {
			if rest[0] == '"' && rest[i] == '\\' {
				i++
			} else if strings.HasPrefix(rest[i:], rest[:3]) {
				for i++; strings.HasPrefix(rest[i:], rest[:3]); i++ {
				}
				s.i += i + 2
				return nil
			}
		}
		return s.bad()
	case rest == "":
		return s.bad()
	case rest[0] == '"' || rest[0] == '\'':
		for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
			if rest[0] == '"' && rest[i] == '\\' {
				i++
			} else if rest[i] == rest[0] {
				s.i += i + 1
				return nil
			}
		}
		return s.bad()
	case rest[0] == '[':
		_, err := s.list(']', s.value)
		return err
	case rest[0] == '{':
		_, err := s.list('}', func() error { _, err := s.pair(); return err })
		return err
	}
	start := s.i
	for s.i < len(s.text) && !strings.ContainsRune(",]}#\n\r", rune(s.text[s.i])) {
		s.i++
	}
	s.i = start + len(strings.TrimRight(s.text[start:s.i], " \t"))
	if s.i == start {
		return s.bad()
	}
	return nil
}

// list skips an array or an inline table, and returns the end of its last element.
func (s *scanner) list(end byte, element func() error) (last int, err error) {
	s.i++
	last = s.i
	for {
		s.space(true)
		switch s.peek() {
		case end:
			s.i++
			return last, nil
		case ',':
			s.i++
			continue
		case 0:
			return last, s.bad()
		}
		if err := element(); err != nil {
			return last, err
		}
		last = s.i
	}
}

// inlinePairs returns the pairs of an inline table.
func inlinePairs(text string, p Pair) (pairs []Pair, last int, err error) {
	s := &scanner{text: text[:p.ValueEnd], i: p.ValueStart}
	last, err = s.list('}', func() error {
		q, err := s.pair()
		pairs = append(pairs, q)
		return err
	})
	return pairs, last, err
}

// LineEnd returns the line end that the text uses.
func LineEnd(text string) string {
	if strings.Contains(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// insertPair adds a line behind the last pair of a table.
func insertPair(text string, t *Table, line string) Edit {
	if t.Name == nil && len(t.Pairs) == 0 {
		return Edit{t.Start, t.Start, line + LineEnd(text)}
	}
	return Edit{t.Last, t.Last, LineEnd(text) + line}
}

// SetKey sets a key of a table.
func SetKey(text string, t *Table, key, value string) Edit {
	for _, p := range t.Pairs {
		if len(p.Key) == 1 && p.Key[0] == key {
			return Edit{p.ValueStart, p.ValueEnd, value}
		}
	}
	return insertPair(text, t, Key(key)+" = "+value)
}

// SetSubkey sets KEY.SUB of the i-th table. KEY may be a table of its own, inline or dotted.
func SetSubkey(text string, tables []Table, i int, key, sub, value string) (Edit, error) {
	t := &tables[i]
	dotted := false
	for _, p := range t.Pairs {
		switch {
		case p.Key[0] != key:
		case len(p.Key) == 2:
			dotted = true
			if p.Key[1] == sub {
				return Edit{p.ValueStart, p.ValueEnd, value}, nil
			}
		case len(p.Key) == 1:
			pairs, last, err := inlinePairs(text, p)
			if err != nil {
				return Edit{}, err
			}
			for _, q := range pairs {
				if len(q.Key) == 1 && q.Key[0] == sub {
					return Edit{q.ValueStart, q.ValueEnd, value}, nil
				}
			}
			if len(pairs) == 0 {
				return Edit{p.ValueStart, p.ValueEnd, "{ " + Key(sub) + " = " + value + " }"}, nil
			}
			return Edit{last, last, ", " + Key(sub) + " = " + value}, nil
		}
	}
	if dotted {
		return insertPair(text, t, Key(key)+"."+Key(sub)+" = "+value), nil
	}
	// [proof.loops] belongs to the [[proof]] before it.
	for j := i + 1; j < len(tables) && !(tables[j].Array && len(tables[j].Name) == len(t.Name)); j++ {
		n := tables[j].Name
		if len(n) == len(t.Name)+1 && n[len(n)-1] == key && strings.Join(n[:len(n)-1], "\x00") == strings.Join(t.Name,
			"\x00") {
			return SetKey(text, &tables[j], sub, value), nil
		}
	}
	return insertPair(text, t, Key(key)+" = { "+Key(sub)+" = "+value+" }"), nil
}

// Elements returns the elements of a pair's value, if it is an array; the value itself otherwise. They have no keys.
func Elements(text string, p Pair) (list []Pair, err error) {
	if text[p.ValueStart] != '[' {
		return []Pair{{ValueStart: p.ValueStart, ValueEnd: p.ValueEnd}}, nil
	}
	s := &scanner{text: text[:p.ValueEnd], i: p.ValueStart}
	_, err = s.list(']', func() error {
		start := s.i
		err := s.value()
		list = append(list, Pair{ValueStart: start, ValueEnd: s.i})
		return err
	})
	return list, err
}

// RemoveElements removes elements of an array, given as indices in ascending order. The comments between the others
// stay.
func RemoveElements(text string, p Pair, indices []int) ([]Edit, error) {
	list, err := Elements(text, p)
	if err != nil {
		return nil, err
	}
	var edits []Edit
	removed := map[int]bool{}
	for _, i := range indices {
		removed[i] = true
	}
	for i := 0; i < len(list); i++ {
		if !removed[i] {
			continue
		}
		last := i // of the neighbours that are removed with it
		for last+1 < len(list) && removed[last+1] {
			last++
		}
		switch {
		case last+1 < len(list):
			edits = append(edits, Edit{Start: list[i].ValueStart, End: list[last+1].ValueStart})
		case i > 0:
			edits = append(edits, Edit{Start: list[i-1].ValueEnd, End: list[last].ValueEnd})
		default: // all of them; a comma may follow
			edits = append(edits, Edit{Start: p.ValueStart, End: p.ValueEnd, Text: "[]"})
		}
		i = last
	}
	return edits, nil
}

// RemoveTable removes the i-th table with the tables that belong to it, such as the [proof.loops] behind a [[proof]].
func RemoveTable(text string, tables []Table, i int) Edit {
	t := &tables[i]
	end := t.Last
	for _, n := range tables[i+1:] {
		if len(n.Name) <= len(t.Name) || strings.Join(n.Name[:len(t.Name)], "\x00") != strings.Join(t.Name, "\x00") {
			break
		}
		end = n.Last
	}
	// The line end, and an empty line behind it.
	for range 2 {
		rest := text[end:]
		line := untilLineEnd(rest)
		if strings.TrimSpace(line) != "" || len(line) == len(rest) {
			break
		}
		end += len(line) + 1
	}
	return Edit{Start: t.Start, End: end}
}

// RemovePair removes a pair whose key and value are on lines of their own.
func RemovePair(text string, p Pair) Edit {
	start := strings.LastIndexByte(text[:p.ValueStart], '\n') + 1
	end := p.ValueEnd + len(untilLineEnd(text[p.ValueEnd:]))
	return Edit{Start: start, End: min(end+1, len(text))}
}

// AppendTable adds a table at the end of the text.
func AppendTable(text string, lines ...string) Edit {
	nl := LineEnd(text)
	var b strings.Builder
	if text != "" && text != "\ufeff" {
		if !strings.HasSuffix(text, "\n") {
			b.WriteString(nl)
		}
		b.WriteString(nl)
	}
	b.WriteString(strings.Join(lines, nl) + nl)
	return Edit{len(text), len(text), b.String()}
}

// Apply applies the edit.
func (e Edit) Apply(text string) string { return text[:e.Start] + e.Text + text[e.End:] }

// Key returns a key, quoted unless it is a bare key.
func Key(key string) string {
	for i := 0; i < len(key); i++ {
		if c := key[i]; c >= 0x80 || !isBare(c) {
			return String(key)
		}
	}
	if key == "" {
		return `""`
	}
	return key
}

// isBare reports whether a byte can occur in a bare key. It includes all bytes of non-ASCII letters, which TOML does
// not.
func isBare(b byte) bool {
	return b == '_' || b == '-' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= 0x80
}

// String returns a basic string.
func String(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Strings returns an array of basic strings.
func Strings(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = String(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
