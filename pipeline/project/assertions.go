package project

import (
	"bytes"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/language"
)

// AssertionCall is a call of one of the functions by which proofs assert, as a text has it.
type AssertionCall struct {
	Function     string // that holds it
	Line, Column int    // of the called name, from 1, in bytes
	Start, End   int    // of that name in the text, in bytes
}

var (
	// constantFalse is how people write an assertion that says that no way leads here.
	constantFalse = lazyregexp.New(`^\(\s*(?:0|false|!\s*"[^"]*"|(?:0|false)\s*&&\s*"[^"]*"|"[^"]*"\s*&&\s*(?:0|false))\s*[,)]`)
	lineDirective = lazyregexp.New(`(?m)^[ \t]*#[ \t]*(?:line\b|[0-9])`)
)

// AssertionCalls finds the calls in the functions that a text defines, in their order, of those that wanted does not refuse by
// place. Left out is what may be no code or is never run: behind #if and in what it encloses, in sizeof and in macros; assertions of the
// constant false; and everything where #line gives places other names.
func AssertionCalls(text []byte, wanted func(line, column int) bool) []AssertionCall {
	var places []AssertionCall
	line, counted := 1, 0
	for s := (scanner{text: text}); ; {
		t := s.next()
		if t.kind == tokenEnd {
			break
		}
		if t.kind != tokenIdent || language.Lookup(string(text[t.start:t.end])).Role != language.Assert {
			continue
		}
		line += bytes.Count(text[counted:t.start], []byte("\n"))
		counted = t.start
		column := t.start - bytes.LastIndexByte(text[:t.start], '\n')
		if wanted(line, column) && !constantFalse.Match(text[t.end:]) {
			places = append(places, AssertionCall{Line: line, Column: column, Start: t.start, End: t.end})
		}
	}
	if len(places) == 0 || lineDirective.Match(text) {
		return nil
	}
	tree, done := parseC(text)
	defer done()
	if tree == nil {
		return nil
	}
	var out []AssertionCall
	for _, p := range places {
		if f, ok := calledIn(tree.RootNode(), text, p.Start, p.End); ok {
			p.Function = f
			out = append(out, p)
		}
	}
	return out
}

// calledIn returns the name of the function in whose body the identifier is called; false where that is not certain.
func calledIn(root *sitter.Node, text []byte, start, end int) (string, bool) {
	leaf := root.NamedDescendantForByteRange(uint(start), uint(end))
	if leaf == nil || leaf.Kind() != "identifier" || leaf.EndByte() != uint(end) {
		return "", false
	}
	call := leaf.Parent()
	if call == nil || call.Kind() != "call_expression" || call.ChildByFieldName("function").Id() != leaf.Id() {
		return "", false
	}
	var definition *sitter.Node
	for n := call; n != nil; n = n.Parent() {
		switch kind := n.Kind(); {
		case strings.HasPrefix(kind, "preproc_"), kind == "sizeof_expression", kind == "alignof_expression", kind == "ERROR":
			return "", false
		case kind == "function_definition" && definition == nil:
			definition = n
		}
	}
	if definition == nil {
		return "", false
	}
	for d := definition.ChildByFieldName("declarator"); d != nil; d = d.ChildByFieldName("declarator") {
		if d.Kind() == "identifier" {
			return string(text[d.StartByte():d.EndByte()]), true
		}
	}
	return "", false
}
