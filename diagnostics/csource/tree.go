package csource

import (
	"sort"
	"strings"
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// tree has the positions of the expressions, statements and functions of a text. They are copied from tree-sitter's
// tree, whose memory Go's collector does not manage.
type tree struct {
	text      []byte
	nodes     []node     // by start, outer before inner
	functions []Function // in order
	choices   []*choice  // by start, outer before inner
}

// node is an expression or a statement.
type node struct {
	start, end uint32
	parent     int32 // index of the smallest enclosing node, or -1
	kind       nodeKind
}

type nodeKind uint8

const (
	otherNode  nodeKind = iota // not in the tree
	expression                 // any expression but the next
	postfix                    // a[i], f(x): clang's position is that of the first operand
	member                     // a.b, a->b: clang's position is that of the member
	statement                  // its range is the head: if (…), return x
	loop                       // likewise: for (…), while (…), do
)

// Function is the definition of a function: Body is the offset of the opening brace.
type Function struct {
	Name               string
	NameStart, NameEnd int
	Start, End, Body   int
}

// kindTable classifies the grammar's kinds of nodes, by number.
var kindTable = sync.OnceValue(func() []nodeKind {
	l := treeLanguage()
	table := make([]nodeKind, l.NodeKindCount())
	for i := range table {
		if !l.NodeKindIsNamed(uint16(i)) {
			continue
		}
		switch kind := l.NodeKindForId(uint16(i)); {
		case kind == "call_expression" || kind == "subscript_expression":
			table[i] = postfix
		case kind == "field_expression":
			table[i] = member
		case kind == "parenthesized_expression" || kind == "expression_statement" || kind == "compound_statement" ||
			kind == "preproc_call_expression":
		case strings.HasSuffix(kind, "_expression") || strings.HasSuffix(kind, "_literal") || kind == "identifier" ||
			kind == "null" ||
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

// parse parses a text, which need not be well-formed.
func parse(text []byte) *tree {
	t := &tree{text: text}
	parsed, done := parseC(text)
	defer done()
	if parsed == nil {
		return t // the versions of grammar and runtime are pinned; without a tree each range is a single point
	}
	cursor := parsed.Walk()
	defer cursor.Close()
	kinds := kindTable()
	definition := treeLanguage().IdForNodeKind("function_definition", true)
	parents := []int32{-1} // by depth
	for {
		n := cursor.Node()
		parent := parents[len(parents)-1]
		here := parent
		if id := n.KindId(); int(id) < len(kinds) && kinds[id] != otherNode {
			here = int32(len(t.nodes))
			t.nodes = append(t.nodes, node{uint32(n.StartByte()), uint32(n.EndByte()), parent, kinds[id]})
			if c := choiceOf(n, text); c != nil {
				t.choices = append(t.choices, c)
			}
		} else if id == definition {
			if f, ok := functionOf(n, text); ok {
				t.functions = append(t.functions, f)
			}
		}
		if cursor.GotoFirstChild() {
			parents = append(parents, here)
			continue
		}
		for !cursor.GotoNextSibling() {
			if !cursor.GotoParent() {
				return t
			}
			parents = parents[:len(parents)-1]
		}
	}
}

// functionOf converts a definition. It returns false if it finds no name, as with K&R macros around it.
func functionOf(n *sitter.Node, text []byte) (Function, bool) {
	f := Function{Start: int(n.StartByte()), End: int(n.EndByte())}
	body := n.ChildByFieldName("body")
	if body == nil {
		return f, false
	}
	f.Body = int(body.StartByte())
	for d := n.ChildByFieldName("declarator"); d != nil; {
		if d.Kind() == "identifier" {
			f.NameStart, f.NameEnd = int(d.StartByte()), int(d.EndByte())
			f.Name = string(text[f.NameStart:f.NameEnd])
			return f, true
		}
		next := d.ChildByFieldName("declarator")
		if next == nil && d.NamedChildCount() > 0 {
			next = d.NamedChild(0) // parenthesized and attributed declarators have no named field
		}
		d = next
	}
	return f, false
}

// Part selects the code that a position of the compiler refers to.
type Part uint8

const (
	Operation Part = iota // the expression or statement whose operator or first byte is at the position
	Loop                  // the loop whose head contains the position
)

// widen implements [Source.Range] for an item.
func (t *tree) widen(at int, part Part) (start, end int) {
	i := t.smallest(at)
	if part == Loop {
		for i >= 0 && t.nodes[i].kind != loop {
			i = int(t.nodes[i].parent)
		}
	}
	if i < 0 {
		if at >= len(t.text) || IsSpace(t.text[at]) {
			return at, at
		}
		return at, SkipToken(t.text, at)
	}
	// The position of a[i][j] and of f(x) is that of a and f.
	for point := t.nodes[i]; int(point.start) == at || point.kind == member; {
		p := int(t.nodes[i].parent)
		if p < 0 || t.nodes[p].start != point.start || t.nodes[p].kind != postfix {
			break
		}
		i = p
	}
	n := t.nodes[i]
	start, end = int(n.start), int(n.end)
	if n.kind >= statement {
		end = t.headEnd(start, end)
	}
	return start, end
}

// value implements [Source.Value] for an item.
func (t *tree) value(at int) (start, end int) {
	start, end = t.widen(at, Operation)
	if at < len(t.text) && start < at && OperatorAt(t.text, at) == "=" {
		return start, t.trimEnd(start, at)
	}
	for i := t.smallest(start); i >= 0; i = int(t.nodes[i].parent) {
		n := t.nodes[i]
		if n.kind == expression && int(n.end) == end && int(n.start) <= start && t.text[n.start] == '(' {
			start = int(n.start)
		} else if int(n.end) > end {
			break
		}
	}
	return start, end
}

// smallest returns the innermost node that contains an offset, or -1. The last node that starts at or before the
// offset is inside every node that contains it.
func (t *tree) smallest(offset int) int {
	i := sort.Search(len(t.nodes), func(i int) bool { return int(t.nodes[i].start) > offset }) - 1
	for i >= 0 && offset >= int(t.nodes[i].end) {
		i = int(t.nodes[i].parent)
	}
	return i
}

// headEnd returns the end of a statement's head: behind the brackets of for, while, if or switch, behind the word do,
// else before the first brace or semicolon outside of brackets.
func (t *tree) headEnd(start, end int) int {
	word := string(t.text[start:WordEnd(t.text, start)])
	depth := 0
	for s := (Scanner{t.text[:end], start}); ; {
		switch tok := s.Code(); {
		case tok.Kind == End:
			return t.trimEnd(start, end)
		case tok.Is(t.text, "("):
			depth++
		case tok.Is(t.text, ")"):
			if depth--; depth == 0 && ControlWords[word] {
				return tok.End
			}
		case depth == 0 && (tok.Is(t.text, "{") || tok.Is(t.text, ";") || word == "do" && tok.Start > start):
			return t.trimEnd(start, tok.Start)
		}
	}
}

func (t *tree) trimEnd(start, end int) int {
	for end > start+1 && IsSpace(t.text[end-1]) {
		end--
	}
	return end
}
