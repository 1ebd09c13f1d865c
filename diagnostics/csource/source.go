package csource

import (
	"iter"
	"sort"
	"sync"
)

// Source is a text of which a few places are asked for. Of a large file only the functions around these are parsed:
// what tree-sitter takes for one of a quarter of a megabyte is longer than a proof. It is safe for concurrent use.
type Source struct {
	text      []byte
	outlining sync.Once
	items     []item
	mu        sync.Mutex
	trees     map[int]*tree // by item
}

// NewSource takes a text, which must not change.
func NewSource(text []byte) *Source { return &Source{text: text, trees: map[int]*tree{}} }

// item is something between two others outside of all brackets: a function, a declaration.
type item struct{ start, end, unmatched int }

// What is not parsed: code with many brackets that do not match, over which tree-sitter takes quadratic time, and data.
const (
	maxUnmatched = 8
	maxItem      = 1 << 18 // bytes
)

// Range widens a point of the compiler to what a person would underline: the smallest expression whose point it is, of
// a statement the head, and the token where there is none. clang gives a call, a subscript and a statement the place of
// its first byte, a binary operation and an assignment that of its operator, a member access that of the member's name.
func (s *Source) Range(at int, part Part) (start, end int) {
	tree, from := s.around(at)
	start, end = tree.widen(at-from, part)
	return from + start, from + end
}

// Value is the range of what is computed at a place: of an assignment what is assigned to, elsewhere the expression
// with the casts before it.
func (s *Source) Value(at int) (start, end int) {
	tree, from := s.around(at)
	start, end = tree.value(at - from)
	return from + start, from + end
}

// Function is the definition of a function with a name, false for none.
func (s *Source) Function(name string) (Function, bool) {
	for t := (Scanner{Text: s.text}); ; {
		tok := t.Code()
		if tok.Kind == End {
			return Function{}, false
		}
		if tok.Kind != Ident || tok.Of(s.text) != name {
			continue
		}
		tree, from := s.around(tok.Start)
		for _, f := range tree.functions {
			if f.Name == name {
				return f.behind(from), true
			}
		}
	}
}

// FunctionAround is the definition that an offset is in, false for none.
func (s *Source) FunctionAround(at int) (Function, bool) {
	tree, from := s.around(at)
	for _, f := range tree.functions {
		if f = f.behind(from); f.Start <= at && at < f.End {
			return f, true
		}
	}
	return Function{}, false
}

// FirstFunction is the first definition of a function, false for none.
func (s *Source) FirstFunction() (Function, bool) {
	for f := range s.Functions() {
		return f, true
	}
	return Function{}, false
}

// Functions returns the definitions of functions, in their order.
func (s *Source) Functions() iter.Seq[Function] {
	return func(yield func(Function) bool) {
		for _, i := range s.outline() {
			tree, from := s.around(i.start)
			for _, f := range tree.functions {
				if !yield(f.behind(from)) {
					return
				}
			}
		}
	}
}

// behind moves the offsets of a function.
func (f Function) behind(from int) Function {
	return Function{f.Name, f.NameStart + from, f.NameEnd + from, f.Start + from, f.End + from, f.Body + from}
}

func (s *Source) outline() []item {
	s.outlining.Do(func() { s.items = itemsOf(s.text) })
	return s.items
}

// around is the tree of the item around an offset, and where its text begins.
func (s *Source) around(at int) (t *tree, from int) {
	items := s.outline()
	i := sort.Search(len(items), func(i int) bool { return items[i].start > at }) - 1
	if i < 0 || at >= items[i].end || items[i].unmatched > maxUnmatched || items[i].end-items[i].start > maxItem {
		return &tree{text: s.text}, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trees[i] == nil {
		s.trees[i] = parse(s.text[items[i].start:items[i].end])
	}
	return s.trees[i], items[i].start
}

func itemsOf(text []byte) []item {
	var items []item
	depth := 0
	now := item{start: -1}
	for s := (Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == End {
			break
		}
		if t.Kind == Operator && text[t.Start] == '#' && StartsLine(text, t.Start) {
			s.Next = LineEnd(text, t.End)
			continue
		}
		if now.start < 0 {
			now.start = t.Start
		}
		now.end = t.End
		if t.Kind != Operator {
			continue
		}
		switch c := text[t.Start]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				now.unmatched++
			} else {
				depth--
			}
		}
		if c := text[t.Start]; depth == 0 && (c == ';' || c == '}') {
			items = append(items, now)
			now = item{start: -1}
		}
	}
	if now.start >= 0 {
		now.unmatched += depth
		items = append(items, now)
	}
	return items
}

// StartsLine tells whether nothing but blanks stands before an offset on its line.
func StartsLine(text []byte, at int) bool {
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
		at--
	}
	return at == 0 || text[at-1] == '\n'
}
