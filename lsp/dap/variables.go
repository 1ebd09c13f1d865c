package dap

import (
	"errors"
	"fmt"
	"strings"

	protocol "github.com/google/go-dap"

	"github.com/unitproof/unitproof/vcgen/interp/inspect"
)

// shown has the nodes of the views that the client can expand, by reference. They belong to one moment; references
// are not reused, so that an outdated one is detected.
type shown struct {
	base  int
	nodes []node
}

func (n *shown) forget() {
	n.base += len(n.nodes)
	n.nodes = nil
}

func (n *shown) add(x node) int {
	n.nodes = append(n.nodes, x)
	return n.base + len(n.nodes)
}

func (n *shown) get(ref int) (node, bool) {
	if i := ref - n.base - 1; i >= 0 && i < len(n.nodes) {
		return n.nodes[i], true
	}
	return node{}, false
}

// node is an expandable element of a view.
type node struct {
	kind  nodeKind
	frame inspect.FrameView
	value inspect.Value
	expr  string // of value, in C; "" if there is none
	row   uint64
}

type nodeKind int

const (
	valueNode nodeKind = iota
	localsNode
	globalsNode
	inputsNode
	objectNode
	bytesNode // of the violated object
	rowNode   // of bytesNode; row is the first byte
)

// child is a line of a view.
type child struct {
	name, text, typ string
	value           *inspect.Value // nil for text only
	expr            string
	node            *node // for expandable lines without a value
	count           int   // number of the node's children
	hint            string
	memory          string
}

func (s *session) scopes(id int) ([]protocol.Scope, error) {
	f, ok := s.frame(id)
	if !ok {
		return nil, errFrame
	}
	out := []protocol.Scope{{Name: "Locals", PresentationHint: "locals",
		VariablesReference: s.shown.add(node{kind: localsNode, frame: f})}}
	if a := s.run.Accused(); a.Object != 0 {
		if _, exists := s.run.Object(a.Object); exists {
			out = append(out, protocol.Scope{Name: "Violated object", VariablesReference: s.shown.add(node{kind: objectNode})})
		}
	}
	if n := len(s.debuggee.Finding.Inputs); n > 0 {
		out = append(out, protocol.Scope{Name: "Inputs", NamedVariables: n,
			VariablesReference: s.shown.add(node{kind: inputsNode})})
	}
	if n := len(s.run.Globals()); n > 0 {
		out = append(out, protocol.Scope{Name: "Globals", NamedVariables: n,
			VariablesReference: s.shown.add(node{kind: globalsNode})})
	}
	return out, nil
}

// maxPage is the largest number of children that are sent to a client without paging.
const maxPage = 10_000

func (s *session) variables(a *protocol.VariablesArguments) ([]protocol.Variable, error) {
	n, ok := s.shown.get(a.VariablesReference)
	if !ok {
		return nil, errors.New("this belongs to another moment of the execution: open it again")
	}
	out := []protocol.Variable{}
	if _, indexed := n.value.NumChildren(); n.kind == valueNode && (a.Filter == "indexed" && !indexed ||
		a.Filter == "named" && indexed) {
		return out, nil
	}
	if n.kind != valueNode && n.kind != bytesNode && a.Filter == "indexed" {
		return out, nil
	}
	count := a.Count
	if count <= 0 || count > maxPage {
		count = maxPage
	}
	for _, c := range s.children(n, a.Start, count) {
		out = append(out, s.variable(c))
	}
	return out, nil
}

// variable converts a line to the protocol.
func (s *session) variable(c child) protocol.Variable {
	v := protocol.Variable{Name: c.name, Value: c.text, Type: c.typ, EvaluateName: c.expr, MemoryReference: c.memory}
	if c.hint != "" {
		v.PresentationHint = &protocol.VariablePresentationHint{Kind: c.hint}
	}
	switch {
	case c.value != nil:
		v.Value, v.Type = c.value.Text(), c.value.TypeName()
		v.MemoryReference = memoryOf(*c.value)
		if n, indexed := c.value.NumChildren(); n > 0 {
			v.VariablesReference = s.shown.add(node{kind: valueNode, value: *c.value, expr: c.expr})
			if indexed {
				v.IndexedVariables = n
			} else {
				v.NamedVariables = n
			}
		}
	case c.node != nil:
		v.VariablesReference = s.shown.add(*c.node)
		if c.node.kind == bytesNode {
			v.IndexedVariables = c.count
		}
	}
	return v
}

// children returns count children of a node from start on, or all if count is 0.
func (s *session) children(n node, start, count int) []child {
	var out []child
	switch n.kind {
	case valueNode:
		for _, c := range n.value.Children(start, count) {
			expr := ""
			if n.expr != "" && c.Expr != "" {
				expr = strings.ReplaceAll(tidy(n.expr, c.Expr), "%s", n.expr)
			}
			out = append(out, child{name: c.Name, value: &c.Value, expr: expr})
		}
		return out
	case bytesNode:
		return s.rows(s.run.Accused().Object, start, count)
	case rowNode:
		out = s.row(s.run.Accused().Object, n.row)
	case localsNode:
		for _, v := range s.run.Locals(n.frame) {
			out = append(out, child{name: v.Name, value: &v.Value, expr: v.Name})
		}
	case globalsNode:
		for _, v := range s.run.Globals() {
			out = append(out, child{name: v.Name, value: &v.Value, expr: v.Name})
		}
	case inputsNode:
		for _, in := range s.debuggee.Finding.Inputs {
			name := in.Variable
			if name == "" {
				name = in.Function
			}
			origin := string(in.Kind)
			if in.Function != "" && in.Function != name {
				origin = in.Function
			}
			out = append(out, child{name: fmt.Sprintf("%s (%s, line %d)", name, origin, in.Line), text: in.Value, typ: in.Type,
				hint: "data"})
		}
	case objectNode:
		out = s.objectLines()
	}
	if start > 0 {
		out = out[min(start, len(out)):]
	}
	if count > 0 {
		out = out[:min(count, len(out))]
	}
	return out
}

// tidy removes parentheses around an expression of names, members and indices, which does not need them.
func tidy(expr, pattern string) string {
	simple := true
	depth := 0
	for i, c := range expr {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth > 0, c == '_', c == '.', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '>' &&
			i > 0 && expr[i-1] == '-':
		case c == '-' && strings.HasPrefix(expr[i:], "->"):
		default:
			simple = false
		}
	}
	if simple {
		return strings.ReplaceAll(pattern, "(%s)", "%s")
	}
	return pattern
}

// evaluate computes an expression of a watch, a hover or the console.
func (s *session) evaluate(r *protocol.EvaluateRequest) error {
	a := &r.Arguments
	f, ok := s.frame(a.FrameId)
	if !ok {
		f = s.run.Stack()[0]
		if a.FrameId != 0 {
			return errFrame
		}
	}
	text := strings.TrimSpace(a.Expression)
	if a.Context == "repl" && strings.HasPrefix(text, ":") {
		return s.command(r, f, text[1:])
	}
	v, err := s.run.Evaluate(f, text)
	if err != nil {
		return err
	}
	shown := s.variable(child{name: text, value: &v, expr: text})
	s.reply(r, &protocol.EvaluateResponse{Body: protocol.EvaluateResponseBody{
		Result: shown.Value, Type: shown.Type, VariablesReference: shown.VariablesReference,
		NamedVariables: shown.NamedVariables, IndexedVariables: shown.IndexedVariables,
		MemoryReference: shown.MemoryReference,
	}})
	return nil
}
