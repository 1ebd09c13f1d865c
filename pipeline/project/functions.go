package project

import (
	"bytes"
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
	treec "github.com/tree-sitter/tree-sitter-c/bindings/go"
)

// This file finds where a text defines functions, by tree-sitter.

var treeLanguage = sync.OnceValue(func() *sitter.Language { return sitter.NewLanguage(treec.Language()) })

// parseC gives nil when tree-sitter gives up, which it does not do without a time limit.
func parseC(text []byte) (tree *sitter.Tree, done func()) {
	parser := sitter.NewParser()
	if err := parser.SetLanguage(treeLanguage()); err != nil {
		parser.Close()
		return nil, func() {}
	}
	tree = parser.Parse(text, nil)
	return tree, func() {
		if tree != nil {
			tree.Close()
		}
		parser.Close()
	}
}

// definitionsAt keeps of the identifiers those that are the name of a function's definition.
func definitionsAt(text []byte, places []token) []Entry { return definitionsOf(text, places, false) }

func definitionsOf(text []byte, places []token, static bool) []Entry {
	if len(places) == 0 {
		return nil
	}
	tree, done := parseC(text)
	defer done()
	if tree == nil {
		return nil
	}
	root := tree.RootNode()
	var out []Entry
	seen := map[string]bool{}
	for _, at := range places {
		name := string(text[at.start:at.end])
		if seen[name] {
			continue
		}
		end, ok := definitionEnd(root, text, at, static)
		if !ok {
			continue
		}
		seen[name] = true
		e := Entry{Name: name}
		e.Line = 1 + bytes.Count(text[:at.start], []byte("\n"))
		e.Column = at.start - bytes.LastIndexByte(text[:at.start], '\n')
		e.EndLine = e.Line + bytes.Count(text[at.start:end], []byte("\n"))
		out = append(out, e)
	}
	return out
}

// definitionEnd tells whether the identifier names a function that is defined there (with
// external linkage, unless static ones count), and where the definition ends.
func definitionEnd(root *sitter.Node, text []byte, at token, static bool) (int, bool) {
	leaf := root.NamedDescendantForByteRange(uint(at.start), uint(at.end))
	if leaf == nil || leaf.StartByte() != uint(at.start) || leaf.EndByte() != uint(at.end) {
		return 0, false
	}
	broken, fromElse, named := false, false, true
	var definition *sitter.Node
	for child, n := leaf, leaf.Parent(); n != nil; child, n = n, n.Parent() {
		switch n.Kind() {
		case "ERROR":
			broken = true
		case "preproc_else", "preproc_elif", "preproc_elifdef":
			fromElse = true
		case "preproc_if":
			if c := n.ChildByFieldName("condition"); c != nil && !fromElse && string(text[c.StartByte():c.EndByte()]) == "0" {
				return 0, false
			}
			fromElse = false
		case "preproc_ifdef":
			fromElse = false
		case "function_definition":
			if definition == nil {
				definition = n
			}
		}
		// On the way up to its definition a name passes declarators only.
		if definition == nil {
			switch n.Kind() {
			case "function_declarator", "pointer_declarator":
				d := n.ChildByFieldName("declarator")
				named = named && d != nil && d.Id() == child.Id()
			case "parenthesized_declarator", "attributed_declarator":
			default:
				named = false
			}
		} else if definition.Id() == n.Id() {
			d := n.ChildByFieldName("declarator")
			named = named && d != nil && d.Id() == child.Id() && child.Kind() != "identifier"
		}
	}
	if definition != nil && named {
		if !static && !external(head(definition, text)) {
			return 0, false
		}
		return int(definition.EndByte()), true
	}
	// Where macros or missing braces confuse the grammar, the tokens decide.
	if definition != nil && !broken && !definition.HasError() {
		return 0, false
	}
	if c := readCall(text, at.end); !c.body {
		return 0, false
	}
	start := bytes.LastIndexAny(text[:at.start], ";}") + 1
	if !static && !external(text[start:at.start]) {
		return 0, false
	}
	return at.end, true
}

// head is what stands before the declarator of a definition.
func head(definition *sitter.Node, text []byte) []byte {
	d := definition.ChildByFieldName("declarator")
	if d == nil {
		return nil
	}
	return text[definition.StartByte():d.StartByte()]
}

// external judges linkage by the words before a name.
func external(head []byte) bool {
	inline, extern := false, false
	for s := (scanner{text: head}); ; {
		t := s.next()
		switch {
		case t.kind == tokenEnd:
			return !inline || extern
		case t.kind != tokenIdent:
			continue
		}
		switch string(head[t.start:t.end]) {
		case "static":
			return false
		case "inline", "__inline", "__inline__":
			inline = true
		case "extern":
			extern = true
		}
	}
}
