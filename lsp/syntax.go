package lsp

import (
	"sort"
	"strings"
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
	treec "github.com/tree-sitter/tree-sitter-c/bindings/go"
)

// syntax is what the server wants to know of a C text: where its expressions, statements and functions
// are. It is copied out of the parser's tree, whose memory Go's collector does not see.
type syntax struct {
	nodes     []node // by start, the outer before the inner
	functions []function
}

// node is an expression or a statement; offsets in bytes.
type node struct {
	start, end uint32
	parent     int32 // index of the smallest node around it, -1 for none
	kind       nodeKind
}

type nodeKind uint8

const (
	otherNode  nodeKind = iota // nothing to mark
	expression                 // any expression but the next
	postfix                    // a[i], f(x), a.b: clang gives it the position of its first operand
	statement                  // marked by its head: if (…), return
	loop                       // likewise: for (…), while (…), do
)

// function is the definition of a function.
type function struct {
	name               string
	nameStart, nameEnd int
	start, end, body   int // body: of the opening brace
}

var language = sync.OnceValue(func() *sitter.Language { return sitter.NewLanguage(treec.Language()) })

// kindTable classifies the grammar's kinds of nodes by their number.
var kindTable = sync.OnceValue(func() []nodeKind {
	l := language()
	table := make([]nodeKind, l.NodeKindCount())
	for i := range table {
		if !l.NodeKindIsNamed(uint16(i)) {
			continue
		}
		switch kind := l.NodeKindForId(uint16(i)); {
		case kind == "call_expression" || kind == "subscript_expression" || kind == "field_expression":
			table[i] = postfix
		case kind == "parenthesized_expression" || kind == "expression_statement" || kind == "compound_statement" || kind == "preproc_call_expression":
		case strings.HasSuffix(kind, "_expression") || strings.HasSuffix(kind, "_literal") || kind == "identifier" || kind == "null" ||
			kind == "true" || kind == "false" || kind == "concatenated_string" || kind == "init_declarator":
			table[i] = expression
		case kind == "for_statement" || kind == "while_statement" || kind == "do_statement":
			table[i] = loop
		case strings.HasSuffix(kind, "_statement"):
			table[i] = statement
		}
	}
	return table
})

// syntax parses the text once. It needs no well-formed code.
func (t *text) syntax() *syntax {
	t.parsing.Do(func() { t.tree = parseSyntax(t.data) })
	return t.tree
}

func parseSyntax(data []byte) *syntax {
	s := &syntax{}
	parser := sitter.NewParser()
	defer parser.Close()
	if err := parser.SetLanguage(language()); err != nil {
		return s // the versions of grammar and runtime are pinned; without a tree points stay points
	}
	tree := parser.Parse(data, nil)
	if tree == nil {
		return s
	}
	defer tree.Close()
	cursor := tree.Walk()
	defer cursor.Close()
	kinds := kindTable()
	definition := language().IdForNodeKind("function_definition", true)
	parents := []int32{-1} // by depth
	for {
		n := cursor.Node()
		parent := parents[len(parents)-1]
		here := parent
		if id := n.KindId(); int(id) < len(kinds) && kinds[id] != otherNode {
			here = int32(len(s.nodes))
			s.nodes = append(s.nodes, node{uint32(n.StartByte()), uint32(n.EndByte()), parent, kinds[id]})
		} else if id == definition {
			if f, ok := functionOf(n, data); ok {
				s.functions = append(s.functions, f)
			}
		}
		if cursor.GotoFirstChild() {
			parents = append(parents, here)
			continue
		}
		for !cursor.GotoNextSibling() {
			if !cursor.GotoParent() {
				return s
			}
			parents = parents[:len(parents)-1]
		}
	}
}

// functionOf reads a definition; K&R macros around the name may hide it.
func functionOf(n *sitter.Node, data []byte) (function, bool) {
	f := function{start: int(n.StartByte()), end: int(n.EndByte())}
	body := n.ChildByFieldName("body")
	if body == nil {
		return f, false
	}
	f.body = int(body.StartByte())
	for d := n.ChildByFieldName("declarator"); d != nil; {
		if d.Kind() == "identifier" {
			f.nameStart, f.nameEnd = int(d.StartByte()), int(d.EndByte())
			f.name = string(data[f.nameStart:f.nameEnd])
			return f, true
		}
		next := d.ChildByFieldName("declarator")
		if next == nil && d.NamedChildCount() > 0 {
			next = d.NamedChild(0) // parenthesized and attributed declarators name no field
		}
		d = next
	}
	return f, false
}

// expressionAt widens a point of the compiler to the smallest expression around it; for a statement
// that is its head. ok is false where there is none.
func (s *syntax) expressionAt(data []byte, offset int) (start, end int, ok bool) {
	i := s.smallest(offset)
	if i < 0 {
		return 0, 0, false
	}
	n := s.nodes[i]
	// The point of a[i][j] and of f(x) is the first byte of a and f.
	for int(n.start) == offset && n.parent >= 0 {
		p := s.nodes[n.parent]
		if p.start != n.start || p.kind != postfix {
			break
		}
		n = p
	}
	start, end = int(n.start), int(n.end)
	if n.kind >= statement {
		end = headEnd(data, start, end)
	}
	return start, end, true
}

// loopAt is the head of the innermost loop around a point of its head: clang gives a loop the place of
// its condition.
func (s *syntax) loopAt(data []byte, offset int) (start, end int, ok bool) {
	for i := s.smallest(offset); i >= 0; i = int(s.nodes[i].parent) {
		if n := s.nodes[i]; n.kind == loop {
			return int(n.start), headEnd(data, int(n.start), int(n.end)), true
		}
	}
	return 0, 0, false
}

// smallest is the innermost node around an offset, -1 for none. The last node that starts there or
// before lies in every node around the offset.
func (s *syntax) smallest(offset int) int {
	i := sort.Search(len(s.nodes), func(i int) bool { return int(s.nodes[i].start) > offset }) - 1
	for i >= 0 && offset >= int(s.nodes[i].end) {
		i = int(s.nodes[i].parent)
	}
	return i
}

// headEnd is the end of the part of a statement that stands for it: through the bracket behind for,
// while, if or switch, else its first line.
func headEnd(data []byte, start, end int) int {
	depth := 0
	for i := start; i < end; i++ {
		switch data[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '{', '\n', '\r':
			if depth == 0 {
				return trimEnd(data, start, i)
			}
		}
	}
	return trimEnd(data, start, end)
}

func trimEnd(data []byte, start, end int) int {
	for end > start+1 && (data[end-1] == ' ' || data[end-1] == '\t' || data[end-1] == '\n' || data[end-1] == '\r') {
		end--
	}
	return end
}

// function is the definition of a name, nil for none.
func (s *syntax) function(name string) *function {
	for i := range s.functions {
		if s.functions[i].name == name {
			return &s.functions[i]
		}
	}
	return nil
}
