package llvmir

import (
	"math"
	"slices"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// mdNode is a metadata node: the offset of its body in the text, after "distinct". 0 is none.
type mdNode int

// mdKind is the kind of an mdValue.
type mdKind uint8

const (
	mdNone   mdKind = iota // no such field
	mdNull                 // null
	mdInt                  // a number
	mdWord                 // keywords, joined by |
	mdString               // a string
	mdRef                  // a node
	mdOther                // a value of the program
)

// mdValue is a field of a node or an element of a tuple.
type mdValue struct {
	kind mdKind
	text []byte // of a number or keywords; of a string, without quotes
	node mdNode
}

// mdRecord is a parsed node: !kind(key: value, ...).
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

// nodeRef reads a reference to a node, or an inline node.
func (r *reader) nodeRef() mdNode {
	switch {
	case r.Kind == lexer.Node:
		n, ok := r.nodes[r.Decimal(r.Word()[1:], lexer.MaxNumber)]
		if !ok {
			r.Fail("metadata %s is not defined", r.Word())
		}
		r.Next()
		return n
	case r.Is('!') || r.Kind == lexer.MetaName:
		n := mdNode(r.Start)
		r.skipNode()
		return n
	}
	r.Fail("%q stands where metadata belongs", r.Shown())
	return 0
}

// skipNode skips an inline node: !{...}, !"...", or !Kind(...).
func (r *reader) skipNode() {
	if r.Kind == lexer.MetaName {
		r.Next()
		if !r.Is('(') {
			r.Fail("%q stands where the fields of metadata belong", r.Shown())
		}
		r.SkipGroup()
		return
	}
	r.Expect('!')
	switch {
	case r.Is('{'):
		r.SkipGroup()
	case r.Kind == lexer.String:
		r.Next()
	default:
		r.Fail("%q stands where metadata belongs", r.Shown())
	}
}

// record reads the fields of a node.
func (r *reader) record(n mdNode) *mdRecord {
	rec := &mdRecord{r: r, at: n}
	r.At(int(n), func() {
		if r.Kind != lexer.MetaName {
			return
		}
		rec.kind = r.shared(r.Word()[1:])
		r.Next()
		r.Expect('(')
		fields := r.fields[:0]
		for !r.Is(')') {
			if r.Kind != lexer.Label {
				if rec.kind == "DIExpression" || rec.kind == "DIArgList" {
					return
				}
				r.Fail("%q stands where a field of metadata belongs", r.Shown())
			}
			f := mdField{key: r.shared(r.Name())}
			r.Next()
			f.value = r.mdValue()
			fields = append(fields, f)
			if !r.Accept(',') {
				break
			}
		}
		r.Expect(')')
		r.fields = fields
		rec.fields = slices.Clone(fields)
	})
	return rec
}

// mdValue reads a field or an element.
func (r *reader) mdValue() mdValue {
	switch {
	case r.IsWord("null"):
		r.Next()
		return mdValue{kind: mdNull}
	case r.Kind == lexer.Int:
		v := mdValue{kind: mdInt, text: r.Word()}
		r.Next()
		return v
	case r.Kind == lexer.String:
		v := mdValue{kind: mdString, text: r.Text[r.Start+1 : r.End-1]}
		r.Next()
		return v
	case r.Kind == lexer.Node || r.Kind == lexer.MetaName || r.Is('!'):
		return mdValue{kind: mdRef, node: r.nodeRef()}
	case r.Kind == lexer.Word:
		start, end := r.Start, r.End
		r.Next()
		if !r.Is('|') && !r.Is(',') && !r.Is(')') && !r.Is('}') { // a type: a value of the program follows
			r.skipValue()
			return mdValue{kind: mdOther}
		}
		for r.Accept('|') {
			if end = r.End; r.Kind != lexer.Word && r.Kind != lexer.Int {
				r.Fail("%q stands where a flag belongs", r.Shown())
			}
			r.Next()
		}
		return mdValue{kind: mdWord, text: r.Text[start:end]}
	}
	r.skipValue()
	return mdValue{kind: mdOther}
}

// skipValue skips a value up to the next comma or bracket.
func (r *reader) skipValue() {
	for !r.Is(',') && !r.Is(')') && !r.Is('}') {
		switch {
		case r.Is('(') || r.Is('[') || r.Is('{'):
			r.SkipGroup()
		case r.Kind == lexer.EOF:
			r.Fail("metadata does not end")
		default:
			r.Next()
		}
	}
}

// tuple reads the elements of !{...}; nil for other nodes.
func (r *reader) tuple(n mdNode) []mdValue {
	if n == 0 {
		return nil
	}
	var out []mdValue
	r.At(int(n), func() {
		if !r.Accept('!') || !r.Accept('{') {
			return
		}
		for !r.Is('}') {
			out = append(out, r.mdValue())
			if !r.Accept(',') {
				break
			}
		}
		r.Expect('}')
	})
	return out
}

// shared returns an interned string: kinds and names of fields occur frequently.
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

// str returns the string of a field; "" if there is none.
func (m *mdRecord) str(key string) string {
	v := m.get(key)
	switch v.kind {
	case mdString:
		return string(lexer.Unescape(v.text))
	case mdNone, mdNull:
		return ""
	}
	m.fail(key, string(v.text))
	return ""
}

// num returns the number of a field; 0 if there is none. Unsigned 64-bit numbers are converted to signed ones.
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

// word returns the keyword of a field; "" if there is none.
func (m *mdRecord) word(key string) string {
	v := m.get(key)
	switch v.kind {
	case mdWord:
		return string(v.text)
	case mdNone:
		return ""
	case mdInt:
		return "" // LLVM has no name for it
	}
	m.fail(key, string(v.text))
	return ""
}

// ref returns the node of a field; 0 if there is none.
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

// flag reports whether a field has a flag, by name or by bit.
func (m *mdRecord) flag(key, name string, bit int64) bool {
	v := m.get(key)
	if v.kind == mdInt {
		return m.num(key)&bit != 0
	}
	for i := 0; i < len(v.text); {
		end := i
		for end < len(v.text) && lexer.IsWordChar(v.text[end]) {
			end++
		}
		if string(v.text[i:end]) == name {
			return true
		}
		i = max(end, i+1)
	}
	return false
}

// fail rejects the value of a field.
func (m *mdRecord) fail(key, value string) {
	m.r.Start = int(m.at)
	m.r.Fail("%s has the unknown %s %q", m.kind, key, value)
}
