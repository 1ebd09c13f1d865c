package csource

import (
	"iter"
	"sort"
	"sync"
)

// Source is a text that is parsed on demand. Of a large file only the functions around requested offsets are parsed:
// parsing a quarter of a megabyte with tree-sitter takes longer than a proof. It is safe for concurrent use.
type Source struct {
	text      []byte
	outlining sync.Once
	items     []item
	mu        sync.Mutex
	trees     map[int]*tree // by item
}

// NewSource returns a Source of a text, which must not change.
func NewSource(text []byte) *Source { return &Source{text: text, trees: map[int]*tree{}} }

// item is a piece of text between two top-level boundaries: a function or a declaration.
type item struct{ start, end, unmatched int }

// Items that are not parsed: code with many unbalanced brackets, for which tree-sitter takes quadratic time, and
// data.
const (
	maxUnmatched = 8
	maxItem      = 1 << 18 // bytes
)

// Range widens an offset of clang's debug information to the range to underline: the smallest expression with that
// offset, the head of a statement, or the token if there is none. clang locates a call, a subscript and a statement
// at the first byte, a binary operation and an assignment at the operator, a member access at the member's name.
func (s *Source) Range(at int, part Part) (start, end int) {
	tree, from := s.around(at)
	start, end = tree.widen(at-from, part)
	return from + start, from + end
}

// Value returns the range of the computed value at an offset: the left side of an assignment, else the expression
// with the casts before it.
func (s *Source) Value(at int) (start, end int) {
	tree, from := s.around(at)
	start, end = tree.value(at - from)
	return from + start, from + end
}

// Function returns the definition of the function with a name, or false.
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

// FunctionAround returns the function definition that contains an offset, or false.
func (s *Source) FunctionAround(at int) (Function, bool) {
	tree, from := s.around(at)
	for _, f := range tree.functions {
		if f = f.behind(from); f.Start <= at && at < f.End {
			return f, true
		}
	}
	return Function{}, false
}

// FirstFunction returns the first function definition, or false.
func (s *Source) FirstFunction() (Function, bool) {
	for f := range s.Functions() {
		return f, true
	}
	return Function{}, false
}

// Functions returns the function definitions in order.
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

// behind returns f with its offsets moved by from.
func (f Function) behind(from int) Function {
	return Function{f.Name, f.NameStart + from, f.NameEnd + from, f.Start + from, f.End + from, f.Body + from}
}

func (s *Source) outline() []item {
	s.outlining.Do(func() { s.items = itemsOf(s.text) })
	return s.items
}

// around returns the tree of the item that contains an offset, and the start of the item.
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

// StartsLine reports whether only blanks precede an offset on its line.
func StartsLine(text []byte, at int) bool {
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
		at--
	}
	return at == 0 || text[at-1] == '\n'
}
