package csource

import (
	"bytes"
	"slices"
	"sort"
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
	treec "github.com/tree-sitter/tree-sitter-c/bindings/go"
)

var treeLanguage = sync.OnceValue(func() *sitter.Language { return sitter.NewLanguage(treec.Language()) })

// MaxNesting is the nesting depth of brackets up to which a text is parsed: a tree of a million open ones takes half
// a gigabyte. Compilers have lower limits (clang 256 by default).
const MaxNesting = 1000

// NestedTooDeep reports whether a text has brackets nested deeper than MaxNesting. Such a text is not parsed.
func NestedTooDeep(text []byte) bool {
	if !deeper(func(yield func(byte) bool) {
		for _, c := range text {
			if !yield(c) {
				return
			}
		}
	}) {
		return false // not even with the brackets in comments and strings
	}
	return deeper(func(yield func(byte) bool) {
		for s := (Scanner{Text: text}); ; {
			t := s.Scan()
			if t.Kind == End || t.Kind == Operator && !yield(text[t.Start]) {
				return
			}
		}
	})
}

func deeper(brackets func(yield func(byte) bool)) bool {
	depth := 0
	for c := range brackets {
		switch c {
		case '(', '[', '{':
			if depth++; depth > MaxNesting {
				return true
			}
		case ')', ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return false
}

// parseC parses a text with tree-sitter. It returns nil if the text is nested too deep, or if tree-sitter gives up,
// which it does only with a time limit.
func parseC(text []byte) (tree *sitter.Tree, done func()) {
	if NestedTooDeep(text) {
		return nil, func() {}
	}
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

// Definition is the definition of a function, at the position of its name.
type Definition struct {
	Name         string
	Line, Column int
	EndLine      int // last line of the function
}

// Definitions returns the definitions of functions at some identifiers, each name once. Functions with internal
// linkage are included only if static is set. Code under "#if 0" is skipped; both branches of other conditions are
// included.
func Definitions(text []byte, places []Token, static bool) []Definition {
	if len(places) == 0 {
		return nil
	}
	parsed := text
	if len(text) > maxParsed {
		parsed = around(text, places)
	}
	tree, done := parseC(parsed)
	defer done()
	if tree == nil {
		return nil
	}
	root := tree.RootNode()
	var out []Definition
	seen := map[string]bool{}
	for _, at := range places {
		name := string(text[at.Start:at.End])
		if seen[name] {
			continue
		}
		end, ok := definitionEnd(root, text, at, static)
		if !ok {
			continue
		}
		seen[name] = true
		e := Definition{Name: name}
		e.Line = 1 + bytes.Count(text[:at.Start], []byte("\n"))
		e.Column = at.Start - bytes.LastIndexByte(text[:at.Start], '\n')
		e.EndLine = e.Line + bytes.Count(text[at.Start:end], []byte("\n"))
		out = append(out, e)
	}
	return out
}

// maxParsed is the size in bytes up to which a text is parsed as a whole. A tree takes about fifty times its text.
const maxParsed = 1 << 20

// around returns a text of the same length that has only the items around some places and the preprocessor's lines;
// the rest is blank. It includes the item before if that is the body of a struct, and the items behind up to a body
// if parameters are declared in K&R style.
func around(text []byte, places []Token) []byte {
	out := bytes.Repeat([]byte{' '}, len(text))
	for i, b := range text {
		if b == '\n' || b == '\r' {
			out[i] = b
		}
	}
	for s := (Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == End {
			break
		}
		if t.Kind == Operator && text[t.Start] == '#' && StartsLine(text, t.Start) {
			s.Next = LineEnd(text, t.End)
			copy(out[t.Start:s.Next], text[t.Start:s.Next])
		}
	}
	items := itemsOf(text)
	for _, at := range places {
		i := sort.Search(len(items), func(i int) bool { return items[i].start > at.Start }) - 1
		if i < 0 {
			continue
		}
		last := i
		for last+1 < len(items) && last-i < maxDeclarations && text[items[last].end-1] != '}' {
			last++
		}
		start, end := items[max(i-1, 0)].start, items[last].end
		copy(out[start:end], text[start:end])
	}
	return out
}

// maxDeclarations is the largest number of K&R parameter declarations before the body of a function.
const maxDeclarations = 32

// definitionEnd reports whether the identifier is the name of a function definition, and returns the end of the
// definition. Functions with internal linkage are excluded unless static is set.
func definitionEnd(root *sitter.Node, text []byte, at Token, static bool) (int, bool) {
	leaf := root.NamedDescendantForByteRange(uint(at.Start), uint(at.End))
	if leaf == nil || leaf.StartByte() != uint(at.Start) || leaf.EndByte() != uint(at.End) {
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
		// Between a name and its definition there are only declarators.
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
	// If macros or missing braces confuse the grammar, the tokens decide.
	if definition != nil && !broken && !definition.HasError() {
		return 0, false
	}
	if c := CallBehind(text, at.End); !c.Body {
		return 0, false
	}
	start := bytes.LastIndexAny(text[:at.Start], ";}") + 1
	if !static && !external(text[start:at.Start]) {
		return 0, false
	}
	return at.End, true
}

// head returns the text before the declarator of a definition.
func head(definition *sitter.Node, text []byte) []byte {
	d := definition.ChildByFieldName("declarator")
	if d == nil {
		return nil
	}
	return text[definition.StartByte():d.StartByte()]
}

// external reports whether the words before a function's name give it external linkage.
func external(head []byte) bool {
	inline, extern := false, false
	for s := (Scanner{Text: head}); ; {
		t := s.Scan()
		switch {
		case t.Kind == End:
			return !inline || extern
		case t.Kind != Ident:
			continue
		}
		switch string(head[t.Start:t.End]) {
		case "static":
			return false
		case "inline", "__inline", "__inline__":
			inline = true
		case "extern":
			extern = true
		}
	}
}

// DefinedNames returns the functions and variables with external linkage that a file defines, sorted. It includes
// both branches of an #if, but not code under "#if 0".
func DefinedNames(text []byte) []string {
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
	if root.HasError() { // macros or missing braces: check each name that may be a function's
		for _, e := range Definitions(text, functionPlaces(text), false) {
			names = append(names, e.Name)
		}
		names = append(names, exported(text)...)
	}
	return sortedSet(names)
}

// exported returns the variables that are defined with a macro before their type, which the grammar does not know:
// LIB_EXPORT handler_t handler = NULL.
func exported(text []byte) (names []string) {
	var statement []Token
	depth := 0
	for s := (Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == End {
			return names
		}
		switch word := t.Of(text); {
		case word == "#" && StartsLine(text, t.Start):
			s.Next = LineEnd(text, t.Start)
		case word == "{" || word == "(":
			depth++
			statement = nil
		case word == "}" || word == ")":
			depth = max(depth-1, 0)
			statement = nil
		case depth > 0:
		case word == ";" || word == "=" || word == "[":
			if name, ok := lastOfThree(text, statement); ok {
				names = append(names, name)
			}
			if statement = nil; word != ";" { // an initializer follows
				statement = []Token{t}
			}
		default:
			statement = append(statement, t)
		}
	}
}

// lastOfThree returns the last name of a definition that consists of at least three names. Declarations of types, and
// those with extern or static, are excluded.
func lastOfThree(text []byte, statement []Token) (name string, ok bool) {
	count := 0
	for _, t := range statement {
		switch word := t.Of(text); {
		case t.Kind == Ident && slices.Contains([]string{"extern", "static", "typedef", "struct", "union", "enum"}, word):
			return "", false
		case t.Kind == Ident:
			count++
			name = word
		case word != "*":
			return "", false
		}
	}
	return name, count >= 3 && statement[len(statement)-1].Kind == Ident
}

// DeclaredFunctions returns the functions with external linkage that a preprocessed file declares but does not
// define, sorted.
func DeclaredFunctions(text []byte) []string {
	tree, done := parseC(text)
	defer done()
	if tree == nil {
		return nil
	}
	var names []string
	var visit func(n *sitter.Node)
	visit = func(n *sitter.Node) {
		switch n.Kind() {
		case "declaration":
			if !external(head(n, text)) {
				return
			}
			visitChildren(n, func(d *sitter.Node) {
				if name, isFunction := declared(d, text); isFunction {
					names = append(names, name)
				}
			})
		case "translation_unit", "ERROR":
			visitChildren(n, visit)
		}
	}
	visit(tree.RootNode())
	defined := map[string]bool{}
	for _, name := range DefinedNames(text) {
		defined[name] = true
	}
	return sortedSet(slices.DeleteFunc(names, func(name string) bool { return defined[name] }))
}

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

// declared returns the name in a declarator, and whether it is a function. The innermost part around the name
// decides.
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

// variables returns the names that a file-scope declaration defines, tentatively or with an initializer.
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
