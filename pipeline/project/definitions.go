package project

import (
	"slices"
	"sort"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// What a proof calls and does not define is looked for in the files of the compilation
// database. A database can list thousands of files and parsing all of them takes half a
// minute, so a file is first read by its tokens (a hundred megabytes a second), and parsed
// only when a name that is looked for stands outside of all braces in it.

// outline is what the tokens of a C file say.
type outline struct {
	outer []string // sorted: identifiers outside of braces, of all where the braces do not match
	proof bool     // the file holds unit proofs or is a saved run of one, so what it defines is its own
}

func readOutline(text []byte) outline {
	src := discover(text)
	return outline{outer: outerNames(text), proof: src.HoldsProofs() || src.SavedRun}
}

// Definitions says which of the proof's SourceCandidates define a name, for each of the names
// that is defined anywhere. Files with unit proofs are no candidates: what they define is
// meant for them alone.
func (w *Workspace) Definitions(p *Proof, names []string) map[string][]Unit {
	found := map[string][]Unit{}
	if len(names) == 0 {
		return found
	}
	var units []Unit
	for _, u := range p.SourceCandidates {
		if u.File != p.File {
			units = append(units, u)
		}
	}
	defined := make([][]string, len(units))
	eachFile(len(units), func(i int) { defined[i] = w.defined(units[i].File, names) })
	for i, u := range units {
		for _, name := range defined[i] {
			found[name] = append(found[name], u)
		}
	}
	return found
}

// DefinitionIndex maps every function and variable with external linkage that a file of the
// root's compilation database defines to these files, in the database's order. It parses them
// all; Definitions answers for a few names much faster.
func (w *Workspace) DefinitionIndex() map[string][]Unit {
	l := &listing{w: w, candidates: map[string][]Unit{}}
	units := l.candidatesFor(w.Config, nil, w.Root+"/x.c")
	defined := make([][]string, len(units))
	eachFile(len(units), func(i int) { defined[i] = w.defined(units[i].File, nil) })
	index := map[string][]Unit{}
	for i, u := range units {
		for _, name := range defined[i] {
			index[name] = append(index[name], u)
		}
	}
	return index
}

// defined gives the names that a file defines: of those asked for, or all when names is nil. A file
// that cannot be read defines none.
func (w *Workspace) defined(file string, names []string) []string {
	o, err := ask(w, file, "outline", readOutline)
	if err != nil || o.proof || w.namesFile(file) {
		return nil
	}
	if names != nil && !slices.ContainsFunc(names, func(n string) bool { return sortedHas(o.outer, n) }) {
		return nil
	}
	all, err := ask(w, file, "definitions", definedNames)
	if err != nil || names == nil {
		return all
	}
	var out []string
	for _, n := range names {
		if sortedHas(all, n) {
			out = append(out, n)
		}
	}
	return out
}

// Defines gives the functions and variables with external linkage that a file defines for the
// proofs of others, sorted.
func (w *Workspace) Defines(file string) []string { return w.defined(file, nil) }

// namesFile tells whether a [[proof]] names the file.
func (w *Workspace) namesFile(file string) bool {
	l := &listing{w: w, reported: map[*nestedConfig]bool{}}
	return len(l.namedBy(file)) > 0
}

func sortedHas(list []string, s string) bool {
	_, found := slices.BinarySearch(list, s)
	return found
}

func sortedSet(list []string) []string {
	sort.Strings(list)
	return slices.Clip(slices.Compact(list))
}

// outerNames are the identifiers outside of all braces. Where the braces do not match, as
// with branches of #if that both open a function, all identifiers are.
func outerNames(text []byte) []string {
	var outer []string
	depth := 0
	for s := (scanner{text: text}); ; {
		t := s.next()
		switch {
		case t.kind == tokenEnd:
			if depth == 0 {
				return sortedSet(outer)
			}
			return sortedSet(allNames(text))
		case t.kind == tokenIdent && depth == 0:
			outer = append(outer, string(text[t.start:t.end]))
		case t.kind == tokenByte && text[t.start] == '{':
			depth++
		case t.kind == tokenByte && text[t.start] == '}':
			if depth--; depth < 0 {
				return sortedSet(allNames(text))
			}
		}
	}
}

func allNames(text []byte) []string {
	var names []string
	for s := (scanner{text: text}); ; {
		t := s.next()
		if t.kind == tokenEnd {
			return names
		}
		if t.kind == tokenIdent {
			names = append(names, string(text[t.start:t.end]))
		}
	}
}

// definedNames are the functions and variables with external linkage that a file defines,
// sorted. Both branches of an #if count, what "#if 0" hides does not.
func definedNames(text []byte) []string {
	tree, done := parseC(text)
	defer done()
	if tree == nil {
		return nil
	}
	root := tree.RootNode()
	var names []string
	var visit func(n *sitter.Node)
	visit = func(n *sitter.Node) {
		switch n.Kind() {
		case "function_definition":
			d := n.ChildByFieldName("declarator")
			if name, isFunction := declared(d, text); isFunction && external(head(n, text)) {
				names = append(names, name)
			}
		case "declaration":
			names = append(names, variables(n, text)...)
		case "preproc_if":
			c := n.ChildByFieldName("condition")
			if c != nil && c.Utf8Text(text) == "0" {
				if other := n.ChildByFieldName("alternative"); other != nil {
					visit(other)
				}
				return
			}
			visitChildren(n, visit)
		case "translation_unit", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef",
			"linkage_specification", "declaration_list", "ERROR":
			visitChildren(n, visit)
		}
	}
	visit(root)
	if root.HasError() { // macros and missing braces: ask for each name that could be a function's
		for _, e := range definitionsOf(text, functionPlaces(text), false) {
			names = append(names, e.Name)
		}
	}
	return sortedSet(names)
}

// functionPlaces are the identifiers that parameters and a body follow.
func functionPlaces(text []byte) []token {
	var places []token
	for s := (scanner{text: text}); ; {
		t := s.next()
		if t.kind == tokenEnd {
			return places
		}
		if t.kind == tokenIdent && !controlWords[string(text[t.start:t.end])] && readCall(text, t.end).body {
			places = append(places, t)
		}
	}
}

var controlWords = map[string]bool{"if": true, "for": true, "while": true, "switch": true}

func visitChildren(n *sitter.Node, visit func(*sitter.Node)) {
	cursor := n.Walk()
	defer cursor.Close()
	if !cursor.GotoFirstChild() {
		return
	}
	for {
		if child := cursor.Node(); child.IsNamed() {
			visit(child)
		}
		if !cursor.GotoNextSibling() {
			return
		}
	}
}

// declared is the name in a declarator, and whether it is a function's: the innermost part
// around the name decides.
func declared(d *sitter.Node, text []byte) (name string, isFunction bool) {
	for d != nil {
		switch d.Kind() {
		case "identifier":
			return d.Utf8Text(text), isFunction
		case "function_declarator":
			isFunction = true
			d = d.ChildByFieldName("declarator")
		case "pointer_declarator", "array_declarator", "init_declarator":
			isFunction = false
			d = d.ChildByFieldName("declarator")
		case "parenthesized_declarator", "attributed_declarator":
			d = d.NamedChild(0)
		default:
			return "", false
		}
	}
	return "", false
}

// variables are the names that a declaration outside of functions defines, tentatively or
// with a value.
func variables(n *sitter.Node, text []byte) []string {
	isExtern := false
	var names []string
	cursor := n.Walk()
	defer cursor.Close()
	if !cursor.GotoFirstChild() {
		return nil
	}
	for {
		child := cursor.Node()
		switch child.Kind() {
		case "storage_class_specifier":
			switch child.Utf8Text(text) {
			case "static":
				return nil
			case "extern":
				isExtern = true
			}
		case "identifier", "pointer_declarator", "array_declarator", "init_declarator", "function_declarator",
			"parenthesized_declarator", "attributed_declarator":
			if cursor.FieldName() != "declarator" || isExtern && child.Kind() != "init_declarator" {
				break
			}
			if name, isFunction := declared(child, text); name != "" && !isFunction {
				names = append(names, name)
			}
		}
		if !cursor.GotoNextSibling() {
			return names
		}
	}
}
