package llvmir

import (
	"math"
	"slices"
	"strconv"
)

// mdNode is a metadata node: the offset in the text where its body begins, behind "distinct". 0 is none.
type mdNode int

// mdKind tells the variants of mdValue apart.
type mdKind uint8

const (
	mdNone   mdKind = iota // no such field
	mdNull                 // null
	mdInt                  // a number
	mdWord                 // keywords, joined by | where there are several
	mdString               // a string
	mdRef                  // a node
	mdOther                // a value of the program
)

// mdValue is a field of a node or an element of a tuple.
type mdValue struct {
	kind mdKind
	text []byte // of a number or keywords, and of a string without quotes
	node mdNode
}

// mdRecord is a node that has been read: !kind(key: value, ...).
type mdRecord struct {
	r      *reader
	at     mdNode
	kind   string // "" for a tuple or a string
	fields []mdField
}

type mdField struct {
	key   string
	value mdValue
}

// nodeRef reads a reference to a node, or a node that stands here.
func (r *reader) nodeRef() mdNode {
	switch {
	case r.kind == tokNode:
		n, ok := r.nodes[r.decimal(r.word()[1:], maxNumber)]
		if !ok {
			r.fail("metadata %s is not defined", r.word())
		}
		r.next()
		return n
	case r.is('!') || r.kind == tokMetaName:
		n := mdNode(r.start)
		r.skipNode()
		return n
	}
	r.fail("%q stands where metadata belongs", r.shown())
	return 0
}

// skipNode goes behind the node that stands here: !{...}, !"...", or !Kind(...).
func (r *reader) skipNode() {
	if r.kind == tokMetaName {
		r.next()
		if !r.is('(') {
			r.fail("%q stands where the fields of metadata belong", r.shown())
		}
		r.skipGroup()
		return
	}
	r.expect('!')
	switch {
	case r.is('{'):
		r.skipGroup()
	case r.kind == tokString:
		r.next()
	default:
		r.fail("%q stands where metadata belongs", r.shown())
	}
}

// at reads something elsewhere in the text and comes back.
func (r *reader) at(offset int, read func()) {
	here := r.lexer
	r.seek(offset)
	read()
	r.lexer = here
}

// record reads the fields of a node.
func (r *reader) record(n mdNode) *mdRecord {
	rec := &mdRecord{r: r, at: n}
	r.at(int(n), func() {
		if r.kind != tokMetaName {
			return
		}
		rec.kind = r.shared(r.word()[1:])
		r.next()
		r.expect('(')
		fields := r.fields[:0]
		for !r.is(')') {
			if r.kind != tokLabel {
				if rec.kind == "DIExpression" || rec.kind == "DIArgList" {
					return
				}
				r.fail("%q stands where a field of metadata belongs", r.shown())
			}
			f := mdField{key: r.shared(r.name())}
			r.next()
			f.value = r.mdValue()
			fields = append(fields, f)
			if !r.accept(',') {
				break
			}
		}
		r.expect(')')
		r.fields = fields
		rec.fields = slices.Clone(fields)
	})
	return rec
}

// mdValue reads a field or an element.
func (r *reader) mdValue() mdValue {
	switch {
	case r.isWord("null"):
		r.next()
		return mdValue{kind: mdNull}
	case r.kind == tokInt:
		v := mdValue{kind: mdInt, text: r.word()}
		r.next()
		return v
	case r.kind == tokString:
		v := mdValue{kind: mdString, text: r.text[r.start+1 : r.end-1]}
		r.next()
		return v
	case r.kind == tokNode || r.kind == tokMetaName || r.is('!'):
		return mdValue{kind: mdRef, node: r.nodeRef()}
	case r.kind == tokWord:
		start, end := r.start, r.end
		r.next()
		if !r.is('|') && !r.is(',') && !r.is(')') && !r.is('}') { // a type: a value of the program follows
			r.skipValue()
			return mdValue{kind: mdOther}
		}
		for r.accept('|') {
			if end = r.end; r.kind != tokWord && r.kind != tokInt {
				r.fail("%q stands where a flag belongs", r.shown())
			}
			r.next()
		}
		return mdValue{kind: mdWord, text: r.text[start:end]}
	}
	r.skipValue()
	return mdValue{kind: mdOther}
}

// skipValue goes to the comma or bracket behind a value.
func (r *reader) skipValue() {
	for !r.is(',') && !r.is(')') && !r.is('}') {
		switch {
		case r.is('(') || r.is('[') || r.is('{'):
			r.skipGroup()
		case r.kind == tokEOF:
			r.fail("metadata does not end")
		default:
			r.next()
		}
	}
}

// tuple reads the elements of !{...}; nil for other nodes.
func (r *reader) tuple(n mdNode) []mdValue {
	if n == 0 {
		return nil
	}
	var out []mdValue
	r.at(int(n), func() {
		if !r.accept('!') || !r.accept('{') {
			return
		}
		for !r.is('}') {
			out = append(out, r.mdValue())
			if !r.accept(',') {
				break
			}
		}
		r.expect('}')
	})
	return out
}

// shared returns the string with the bytes, which is shared: kinds and names of fields come over and over.
func (r *reader) shared(b []byte) string {
	s, ok := r.words[string(b)]
	if !ok {
		s = string(b)
		r.words[s] = s
	}
	return s
}

func (m *mdRecord) get(key string) mdValue {
	for i := range m.fields {
		if m.fields[i].key == key {
			return m.fields[i].value
		}
	}
	return mdValue{}
}

// str is the string of a field, "" when there is none.
func (m *mdRecord) str(key string) string {
	v := m.get(key)
	switch v.kind {
	case mdString:
		return string(unescape(v.text))
	case mdNone, mdNull:
		return ""
	}
	m.fail(key, string(v.text))
	return ""
}

// num is the number of a field, 0 when there is none. Unsigned numbers of 64 bits are taken as signed ones.
func (m *mdRecord) num(key string) int64 {
	v := m.get(key)
	if v.kind == mdInt {
		if n, err := strconv.ParseInt(string(v.text), 10, 64); err == nil {
			return n
		}
		if n, err := strconv.ParseUint(string(v.text), 10, 64); err == nil && n > math.MaxInt64 {
			return int64(n)
		}
	} else if v.kind == mdNone || v.kind == mdNull {
		return 0
	}
	m.fail(key, string(v.text))
	return 0
}

// word is the keyword of a field, "" when there is none.
func (m *mdRecord) word(key string) string {
	v := m.get(key)
	switch v.kind {
	case mdWord:
		return string(v.text)
	case mdNone:
		return ""
	case mdInt:
		return "" // one that LLVM has no name for
	}
	m.fail(key, string(v.text))
	return ""
}

// ref is the node of a field, 0 when there is none.
func (m *mdRecord) ref(key string) mdNode {
	v := m.get(key)
	switch v.kind {
	case mdRef:
		return v.node
	case mdNone, mdNull:
		return 0
	}
	m.fail(key, string(v.text))
	return 0
}

// flag reports whether a field has a flag, by its name or by its bit.
func (m *mdRecord) flag(key, name string, bit int64) bool {
	v := m.get(key)
	if v.kind == mdInt {
		return m.num(key)&bit != 0
	}
	for i := 0; i < len(v.text); {
		end := i
		for end < len(v.text) && charClass[v.text[end]]&wordChar != 0 {
			end++
		}
		if string(v.text[i:end]) == name {
			return true
		}
		i = max(end, i+1)
	}
	return false
}

// fail refuses the value of a field.
func (m *mdRecord) fail(key, value string) {
	m.r.start = int(m.at)
	m.r.fail("%s has the unknown %s %q", m.kind, key, value)
}
