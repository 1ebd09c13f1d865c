package csource

import (
	"sort"
	"sync"
)

// Source is a text of which a few places are asked for. Of a large file only the functions around these are parsed: what tree-sitter takes
// for one of a quarter of a megabyte is longer than a proof. It is safe for concurrent use.
type Source struct {
	text    []byte
	outline sync.Once
	items   []item
	mu      sync.Mutex
	trees   map[int]*Tree // by item
}

// NewSource takes a text, which must not change.
func NewSource(text []byte) *Source { return &Source{text: text, trees: map[int]*Tree{}} }

// item is something between two others outside of all brackets: a function, a declaration.
type item struct{ start, end, unmatched int }

// What is not parsed: code with many brackets that do not match, over which tree-sitter takes quadratic time, and data.
const (
	maxUnmatched = 8
	maxItem      = 1 << 18 // bytes
)

// Range is [Tree.Range] at a place of the text.
func (s *Source) Range(at int, part Part) (start, end int) {
	tree, from := s.around(at)
	start, end = tree.Range(at-from, part)
	return from + start, from + end
}

// Value is the range of what is computed at a place: of an assignment what is assigned to, elsewhere the expression with the casts
// before it.
func (s *Source) Value(at int) (start, end int) {
	tree, from := s.around(at)
	start, end = tree.value(at - from)
	return from + start, from + end
}

// around is the tree of the item around an offset, and where its text begins.
func (s *Source) around(at int) (tree *Tree, from int) {
	s.outline.Do(func() { s.items = itemsOf(s.text) })
	i := sort.Search(len(s.items), func(i int) bool { return s.items[i].start > at }) - 1
	if i < 0 || at >= s.items[i].end || s.items[i].unmatched > maxUnmatched || s.items[i].end-s.items[i].start > maxItem {
		return &Tree{text: s.text}, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trees[i] == nil {
		s.trees[i] = Parse(s.text[s.items[i].start:s.items[i].end])
	}
	return s.trees[i], s.items[i].start
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
