package lsp

import (
	"fmt"
	"strconv"
	"strings"
)

// Edits of unitproof.toml that keep its comments and its layout. The text is scanned, not decoded: a
// scan that does not understand it says so, and nothing is offered.

// tomlPair is a key with its value; offsets in bytes.
type tomlPair struct {
	key        []string // the parts of a dotted key
	start      int
	valueStart int
	valueEnd   int
}

// tomlTable is a header with what follows it up to the next one.
type tomlTable struct {
	name       []string // nil before the first header
	array      bool     // [[name]]
	start, end int      // of the header (of the text before the first), of the table
	line       int      // of the header, from 1
	pairs      []tomlPair
	last       int // end of the last pair's line without its line end, or of the header's
}

// tomlEdit replaces the bytes [start, end).
type tomlEdit struct {
	start, end int
	text       string
}

type tomlScanner struct {
	text string
	i    int
}

// scanTOML lists the tables of a valid TOML text.
func scanTOML(text string) ([]tomlTable, error) {
	s := &tomlScanner{text: text}
	if strings.HasPrefix(text, "\ufeff") {
		s.i = len("\ufeff")
	}
	tables := []tomlTable{{line: 0, start: s.i, last: s.i}}
	for {
		s.space(true)
		t := &tables[len(tables)-1]
		if s.i >= len(text) {
			t.end = len(text)
			return tables, nil
		}
		if s.peek() == '[' {
			t.end = s.i
			next := tomlTable{start: s.i, line: 1 + strings.Count(text[:s.i], "\n"), array: strings.HasPrefix(text[s.i:], "[[")}
			s.i++
			if next.array {
				s.i++
			}
			var err error
			if next.name, err = s.key(); err != nil {
				return nil, err
			}
			for s.peek() == ']' {
				s.i++
			}
			next.last = s.i
			tables = append(tables, next)
			continue
		}
		p, err := s.pair()
		if err != nil {
			return nil, err
		}
		t.pairs = append(t.pairs, p)
		// A comment behind the value belongs to it.
		t.last = p.valueEnd + len(strings.TrimRight(untilLineEnd(text[p.valueEnd:]), " \t\r"))
	}
}

func untilLineEnd(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i]
	}
	return s
}

func (s *tomlScanner) peek() byte {
	if s.i < len(s.text) {
		return s.text[s.i]
	}
	return 0
}

// space skips white space, with lines also line ends and comments.
func (s *tomlScanner) space(lines bool) {
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

func (s *tomlScanner) bad() error { return fmt.Errorf("not understood at byte %d", s.i) }

func (s *tomlScanner) key() ([]string, error) {
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
			for isWord(s.peek()) || s.peek() == '-' {
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

func (s *tomlScanner) pair() (tomlPair, error) {
	p := tomlPair{start: s.i}
	var err error
	if p.key, err = s.key(); err != nil {
		return p, err
	}
	if s.peek() != '=' {
		return p, s.bad()
	}
	s.i++
	s.space(false)
	p.valueStart = s.i
	err = s.value()
	p.valueEnd = s.i
	return p, err
}

// value skips a value.
func (s *tomlScanner) value() error {
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

// list skips an array or an inline table, and gives the end of its last element.
func (s *tomlScanner) list(end byte, element func() error) (last int, err error) {
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

// inlinePairs lists the pairs of an inline table.
func inlinePairs(text string, p tomlPair) (pairs []tomlPair, last int, err error) {
	s := &tomlScanner{text: text[:p.valueEnd], i: p.valueStart}
	last, err = s.list('}', func() error {
		q, err := s.pair()
		pairs = append(pairs, q)
		return err
	})
	return pairs, last, err
}

// lineEnd is how the text ends its lines.
func lineEnd(text string) string {
	if strings.Contains(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// insertPair adds a line behind the last pair of a table.
func insertPair(text string, t *tomlTable, line string) tomlEdit {
	if t.name == nil && len(t.pairs) == 0 {
		return tomlEdit{t.start, t.start, line + lineEnd(text)}
	}
	return tomlEdit{t.last, t.last, lineEnd(text) + line}
}

// setKey sets a key of a table.
func setKey(text string, t *tomlTable, key, value string) tomlEdit {
	for _, p := range t.pairs {
		if len(p.key) == 1 && p.key[0] == key {
			return tomlEdit{p.valueStart, p.valueEnd, value}
		}
	}
	return insertPair(text, t, tomlKey(key)+" = "+value)
}

// setSubkey sets KEY.SUB of the i-th table, however KEY is written: as a table of its own, inline or
// dotted.
func setSubkey(text string, tables []tomlTable, i int, key, sub, value string) (tomlEdit, error) {
	t := &tables[i]
	dotted := false
	for _, p := range t.pairs {
		switch {
		case p.key[0] != key:
		case len(p.key) == 2:
			dotted = true
			if p.key[1] == sub {
				return tomlEdit{p.valueStart, p.valueEnd, value}, nil
			}
		case len(p.key) == 1:
			pairs, last, err := inlinePairs(text, p)
			if err != nil {
				return tomlEdit{}, err
			}
			for _, q := range pairs {
				if len(q.key) == 1 && q.key[0] == sub {
					return tomlEdit{q.valueStart, q.valueEnd, value}, nil
				}
			}
			if len(pairs) == 0 {
				return tomlEdit{p.valueStart, p.valueEnd, "{ " + tomlKey(sub) + " = " + value + " }"}, nil
			}
			return tomlEdit{last, last, ", " + tomlKey(sub) + " = " + value}, nil
		}
	}
	if dotted {
		return insertPair(text, t, tomlKey(key)+"."+tomlKey(sub)+" = "+value), nil
	}
	// [proof.loops] belongs to the [[proof]] before it.
	for j := i + 1; j < len(tables) && !(tables[j].array && len(tables[j].name) == len(t.name)); j++ {
		n := tables[j].name
		if len(n) == len(t.name)+1 && n[len(n)-1] == key && strings.Join(n[:len(n)-1], "\x00") == strings.Join(t.name,
			"\x00") {
			return setKey(text, &tables[j], sub, value), nil
		}
	}
	return insertPair(text, t, tomlKey(key)+" = { "+tomlKey(sub)+" = "+value+" }"), nil
}

// appendTable adds a table at the end of the text.
func appendTable(text string, lines ...string) tomlEdit {
	nl := lineEnd(text)
	var b strings.Builder
	if text != "" && text != "\ufeff" {
		if !strings.HasSuffix(text, "\n") {
			b.WriteString(nl)
		}
		b.WriteString(nl)
	}
	b.WriteString(strings.Join(lines, nl) + nl)
	return tomlEdit{len(text), len(text), b.String()}
}

// apply makes the edit.
func (e tomlEdit) apply(text string) string { return text[:e.start] + e.text + text[e.end:] }

// tomlKey quotes a key that is no bare one.
func tomlKey(key string) string {
	for i := 0; i < len(key); i++ {
		if c := key[i]; c >= 0x80 || !isWord(c) && c != '-' {
			return tomlString(key)
		}
	}
	if key == "" {
		return `""`
	}
	return key
}

// tomlString writes a basic string.
func tomlString(s string) string {
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

func tomlStrings(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = tomlString(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
