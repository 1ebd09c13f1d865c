package csource

import (
	"sort"
	"strings"
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// tree tells where the expressions, statements and functions of a text are. It is copied out of the parser's tree,
// whose memory Go's collector does not see.
type tree struct {
	text      []byte
	nodes     []node     // by start, the outer before the inner
	functions []Function // in their order
	choices   []*choice  // by start, the outer before the inner
}

// node is an expression or a statement.
type node struct {
	start, end uint32
	parent     int32 // index of the smallest node around it, -1 for none
	kind       nodeKind
}

type nodeKind uint8

const (
	otherNode  nodeKind = iota // not in the tree
	expression                 // any expression but the next
	postfix                    // a[i], f(x): clang gives it the position of its first operand
	member                     // a.b, a->b: that of the member
	statement                  // marked by its head: if (…), return x
	loop                       // likewise: for (…), while (…), do
)

// Function is the definition of a function: Body is the offset of the opening brace.
type Function struct {
	Name               string
	NameStart, NameEnd int
	Start, End, Body   int
}

// kindTable classifies the grammar's kinds of nodes by their number.
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

// parse reads a text. It needs no well-formed code.
func parse(text []byte) *tree {
	t := &tree{text: text}
	parsed, done := parseC(text)
	defer done()
	if parsed == nil {
		return t // the versions of grammar and runtime are pinned; without a tree points stay points
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

// functionOf reads a definition; K&R macros around the name may hide it.
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
			next = d.NamedChild(0) // parenthesized and attributed declarators name no field
		}
		d = next
	}
	return f, false
}

// Part says what at a point of the compiler is meant.
type Part uint8

const (
	Operation Part = iota // the expression or statement whose operator or first byte is there
	Loop                  // the loop whose head is there
)

// widen is [Source.Range] in a text of its own.
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
	// The point of a[i][j] and of f(x) is that of a and f.
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

// value is the range of what is computed at a point: of an assignment what is assigned to, elsewhere the expression
// with the casts before it.
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

// smallest is the innermost node around an offset, -1 for none. The last node that starts there or
// before lies in every node around the offset.
func (t *tree) smallest(offset int) int {
	i := sort.Search(len(t.nodes), func(i int) bool { return int(t.nodes[i].start) > offset }) - 1
	for i >= 0 && offset >= int(t.nodes[i].end) {
		i = int(t.nodes[i].parent)
	}
	return i
}

// headEnd is the end of the part of a statement that stands for it: through the bracket behind for, while, if or
// switch, without the semicolon of one without, and never beyond its first line there.
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
