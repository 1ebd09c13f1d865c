package clang

import (
	"bytes"
	"cmp"
	"iter"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// node is a node of clang's syntax tree, as -ast-dump prints it.
type node struct {
	// class is BinaryOperator, DeclRefExpr and so on.
	class string
	// id is the address that other nodes refer to.
	id string
	at found.Pos
	// typ is the type of an expression or a variable, without names of typedef.
	typ string
	// rest is the text behind the type: the operator, the value, the variable that is meant.
	rest     string
	children []*node
}

var (
	treeLine  = lazyregexp.New(`^([|\x60 -]*)([A-Za-z]\w*)(?: (0x[0-9a-f]+))?(.*)$`)
	treePlace = lazyregexp.New(`(line|col|<[a-z -]+>|[^\s<>,][^<>,]*?):(\d+)(?::(\d+))?`)
	treeType  = lazyregexp.New(`'([^']*)'(?::'([^']*)')?`)
)

// syntaxTree returns the declarations of a file in the form of a dump, one after the other. Folder dir completes
// relative names of files.
func syntaxTree(dump []byte, dir string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		var path []*node // from a declaration to the last node
		at := found.Pos{}
		for line := range bytes.Lines(dump) {
			m := treeLine.FindSubmatch(bytes.TrimRight(line, "\r\n"))
			if m == nil {
				continue
			}
			n := &node{class: string(m[2]), id: string(m[3])}
			text := string(m[4])
			place, rest := text, ""
			if i := strings.IndexByte(text, '\''); i >= 0 {
				place, rest = text[:i], text[i:]
			}
			// Only what differs from the place before is printed.
			for i, p := range treePlace.FindAllStringSubmatch(place, -1) {
				first, _ := strconv.Atoi(p[2]) // digits; a number that is too large is no position
				second, _ := strconv.Atoi(p[3])
				switch p[1] {
				case "line":
					at.Line, at.Column = first, second
				case "col":
					at.Column = first
				default:
					at = found.Pos{File: absolute(p[1], dir), Line: first, Column: second}
				}
				if i == 0 {
					n.at = at
				}
			}
			n.rest = text
			if t := treeType.FindStringSubmatch(rest); t != nil {
				n.typ, n.rest = cmp.Or(t[2], t[1]), rest[len(t[0]):]
			}
			depth := len(m[1]) / 2
			if depth == 1 && len(path) > 1 && !yield(path[1]) {
				return
			}
			if depth > len(path) {
				continue // not a tree
			}
			path = append(path[:depth:depth], n)
			if depth > 1 {
				path[depth-1].children = append(path[depth-1].children, n)
			}
		}
		if len(path) > 1 {
			yield(path[1])
		}
	}
}
