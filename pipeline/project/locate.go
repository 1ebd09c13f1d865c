package project

import "strings"

// The TOML library returns values without positions; errors and editors need the positions. locate reads a text again
// after the library accepted it, and only searches the starts of keys and values. On invalid text it stops early; it
// never fails.

// keyPath identifies a value in a TOML document: one element per key or index. Elements are marked so that the key "0"
// and the index 0 differ.
type keyPath string

func (p keyPath) key(name string) keyPath { return p + keyPath("\x00"+name) }

func (p keyPath) index(i int) keyPath { return p + keyPath("\x01"+itoa(i)) }

// String returns the path as messages show it: proof[1].checks.signed-overflow.
func (p keyPath) String() string {
	var b strings.Builder
	for i := 0; i < len(p); {
		end := i + 1
		for end < len(p) && p[end] > 1 {
			end++
		}
		part := string(p[i+1 : end])
		switch {
		case p[i] == 1:
			b.WriteString("[" + part + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			if !isBareKey(part) {
				part = `"` + part + `"`
			}
			b.WriteString(part)
		}
		i = end
	}
	return b.String()
}

func isBareKey(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isBareByte(s[i]) {
			return false
		}
	}
	return s != ""
}

func isBareByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// keyOffsets has the offsets of a key and of its value; a table has the offset of its header.
type keyOffsets struct{ key, value int }

type locator struct {
	text   string
	i      int
	places map[keyPath]keyOffsets
	tables map[keyPath]int // number of [[headers]] so far, by path
	depth  int
}

// locate returns the position of every key, array element and table of a valid TOML text.
func locate(text string) map[keyPath]keyOffsets {
	l := &locator{text: text, places: map[keyPath]keyOffsets{}, tables: map[keyPath]int{}}
	if strings.HasPrefix(text, "\ufeff") {
		l.i = len("\ufeff")
	}
	l.document()
	return l.places
}

func (l *locator) peek() byte {
	if l.i < len(l.text) {
		return l.text[l.i]
	}
	return 0
}

func (l *locator) has(s string) bool { return strings.HasPrefix(l.text[l.i:], s) }

// blanks skips spaces and tabs and, with lines, newlines and comments.
func (l *locator) blanks(lines bool) {
	for l.i < len(l.text) {
		switch c := l.text[l.i]; {
		case c == ' ' || c == '\t':
			l.i++
		case lines && (c == '\n' || c == '\r'):
			l.i++
		case lines && c == '#':
			for l.i < len(l.text) && l.text[l.i] != '\n' {
				l.i++
			}
		default:
			return
		}
	}
}

func (l *locator) note(p keyPath, at keyOffsets) {
	if _, known := l.places[p]; !known {
		l.places[p] = at
	}
}

func (l *locator) document() {
	var table keyPath
	for {
		l.blanks(true)
		if l.i >= len(l.text) {
			return
		}
		if l.peek() == '[' {
			start := l.i
			array := l.has("[[")
			l.i++
			if array {
				l.i++
			}
			parts, _ := l.keys()
			if parts == nil {
				return
			}
			table = ""
			for n, part := range parts {
				table = table.key(part)
				last := n == len(parts)-1
				if last && array {
					l.tables[table]++
					l.note(table, keyOffsets{start, start})
				}
				if count := l.tables[table]; count > 0 {
					table = table.index(count - 1)
				}
				l.note(table, keyOffsets{start, start})
			}
			for l.peek() == ']' {
				l.i++
			}
			continue
		}
		if !l.pair(table) {
			return
		}
	}
}

// keys reads a dotted key and returns its parts with their offsets.
func (l *locator) keys() (parts []string, offsets []int) {
	for {
		l.blanks(false)
		start := l.i
		switch c := l.peek(); {
		case c == '"' || c == '\'':
			s, ok := l.quoted()
			if !ok {
				return nil, nil
			}
			parts = append(parts, s)
		case isBareByte(c):
			for isBareByte(l.peek()) {
				l.i++
			}
			parts = append(parts, l.text[start:l.i])
		default:
			return nil, nil
		}
		offsets = append(offsets, start)
		l.blanks(false)
		if l.peek() != '.' {
			return parts, offsets
		}
		l.i++
	}
}

func (l *locator) pair(table keyPath) bool {
	parts, offsets := l.keys()
	if parts == nil || l.peek() != '=' {
		return false
	}
	l.i++
	l.blanks(false)
	value := l.i
	for n, part := range parts {
		table = table.key(part)
		at := keyOffsets{offsets[n], value}
		if n < len(parts)-1 {
			at.value = offsets[n+1]
		}
		l.note(table, at)
	}
	return l.value(table)
}

func (l *locator) value(p keyPath) bool {
	switch l.peek() {
	case '"', '\'':
		_, ok := l.quoted()
		return ok
	case '[':
		l.depth++
		defer func() { l.depth-- }()
		if l.depth > 1000 {
			return false
		}
		l.i++
		for n := 0; ; n++ {
			l.blanks(true)
			if l.peek() == ']' {
				l.i++
				return true
			}
			l.note(p.index(n), keyOffsets{l.i, l.i})
			if !l.value(p.index(n)) {
				return false
			}
			l.blanks(true)
			if l.peek() == ',' {
				l.i++
			} else if l.peek() != ']' {
				return false
			}
		}
	case '{':
		l.depth++
		defer func() { l.depth-- }()
		if l.depth > 1000 {
			return false
		}
		l.i++
		for {
			l.blanks(true)
			if l.peek() == '}' {
				l.i++
				return true
			}
			if !l.pair(p) {
				return false
			}
			l.blanks(true)
			if l.peek() == ',' {
				l.i++
			} else if l.peek() != '}' {
				return false
			}
		}
	}
	start := l.i // number, boolean or date
	for l.i < len(l.text) && !strings.ContainsRune(",]}#\r\n", rune(l.text[l.i])) {
		l.i++
	}
	return l.i > start
}

// quoted skips a string of any of the four kinds. The returned text is exact for strings without escapes, which is
// sufficient: our keys have none.
func (l *locator) quoted() (string, bool) {
	q := l.text[l.i : l.i+1]
	delim := q
	if l.has(q + q + q) {
		delim = q + q + q
	}
	l.i += len(delim)
	start := l.i
	for l.i < len(l.text) {
		if q == `"` && l.text[l.i] == '\\' {
			l.i += 2
			continue
		}
		if l.has(delim) {
			end := l.i
			l.i += len(delim)
			for len(delim) == 3 && end-start >= 0 && l.has(q) { // """a"""" ends with a quote
				l.i++
				end++
			}
			return l.text[start:end], true
		}
		l.i++
	}
	return "", false
}

// lineColumn converts a byte offset to a position; both count from 1, columns in bytes.
func lineColumn(text string, offset int) (line, column int) {
	if offset < 0 || offset > len(text) {
		return 0, 0
	}
	before := text[:offset]
	column = offset - strings.LastIndexByte(before, '\n')
	if line = strings.Count(before, "\n") + 1; line == 1 && strings.HasPrefix(text, "\ufeff") {
		column = max(1, column-len("\ufeff"))
	}
	return line, column
}
