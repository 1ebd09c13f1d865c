package asm

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Shape is a linked program without its line numbers. Two programs have equal shapes if they are equal up to an
// order-preserving renaming of lines: the n-th line of a file that occurs in one corresponds to the n-th line of that
// file in the other. A result that only compares lines of one file, or of one function, is valid for all programs with
// the same shape.
type Shape struct {
	Sum   [sha256.Size]byte
	Lines map[string][]int // by file, named as in the engine: its lines, ascending
}

// lineUse is an occurrence of a line in the metadata of a program.
type lineUse struct {
	Span // of its digits
	line int
	file string
}

// shapeNode has the positions in a metadata node.
type shapeNode struct {
	function    bool // DISubprogram: the root of a function's scopes
	scope, file int  // nodes; -1 for none
	lines       []lineUse
}

// ShapeOf separates a program from its lines. It returns false if the lines cannot be identified: for Rust, which
// inlines functions, and for text that does not look like clang's assembly.
func ShapeOf(text []byte) (Shape, bool) {
	var replaced []replacement
	nodes := map[int]*shapeNode{}
	names := map[int]string{} // of files, by node
	var order []int
	for pos := 0; pos < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[pos:], '\n'); n >= 0 {
			end = pos + n + 1
		}
		line := text[pos:end]
		if at, ok := checkedLine(line); ok {
			replaced = append(replaced, replacement{Span{pos + at.Start, pos + at.End}, 0})
		}
		if line[0] == '!' && len(line) > 1 && isDigit(line[1]) {
			number := atoi(digits(string(line[1:min(len(line), 20)])))
			if bytes.Contains(line, []byte("inlinedAt: ")) || nodes[number] != nil {
				return Shape{}, false
			}
			if bytes.Contains(line, []byte(" = !DIFile(")) || bytes.Contains(line, []byte(" = distinct !DIFile(")) {
				name, ok := fileOf(line)
				if names[number] = name; !ok {
					return Shape{}, false
				}
			} else if node, ok := placesOf(line, pos); !ok {
				return Shape{}, false
			} else if node != nil {
				nodes[number] = node
				order = append(order, number)
			}
		}
		pos = end
	}
	var uses []lineUse
	lines := map[string][]int{}
	var functions []int
	byFunction := map[int][]int{} // of uses
	for _, number := range order {
		n := nodes[number]
		if len(n.lines) == 0 {
			continue
		}
		function, file, ok := within(nodes, number)
		if !ok {
			return Shape{}, false
		}
		for _, u := range n.lines {
			u.file = names[file]
			lines[u.file] = append(lines[u.file], u.line)
			if function >= 0 {
				if byFunction[function] == nil {
					functions = append(functions, function)
				}
				byFunction[function] = append(byFunction[function], len(uses))
			}
			uses = append(uses, u)
		}
	}
	for file := range lines {
		slices.Sort(lines[file])
		lines[file] = slices.Compact(lines[file])
	}

	for _, u := range uses {
		rank, _ := slices.BinarySearch(lines[u.file], u.line)
		replaced = append(replaced, replacement{u.Span, rank + 1})
	}

	h := sha256.New()
	done := 0
	var number []byte
	for _, r := range replaced { // in the order of the text
		if r.Start < done {
			return Shape{}, false // variables come before metadata
		}
		number = strconv.AppendInt(number[:0], int64(r.by), 10)
		h.Write(text[done:r.Start])
		h.Write(number)
		done = r.End
	}
	h.Write(text[done:])
	// A function that includes a file or has a contract refers to lines of several files, which are compared with each
	// other.
	for _, f := range functions {
		list := byFunction[f]
		if !slices.ContainsFunc(list, func(i int) bool { return uses[i].file != uses[list[0]].file }) {
			continue
		}
		slices.SortStableFunc(list, func(a, b int) int { return uses[a].line - uses[b].line })
		fmt.Fprintf(h, "\x00%d", f)
		for i, use := range list {
			sign := "<"
			if i > 0 && uses[list[i-1]].line == uses[use].line {
				sign = "="
			}
			fmt.Fprintf(h, "%s%d", sign, use)
		}
	}
	return Shape{Sum: [sha256.Size]byte(h.Sum(nil)), Lines: lines}, true
}

// replacement replaces a number by another one.
type replacement struct {
	Span
	by int
}

// checkedLine finds the line in the data of a sanitizer's check: `{ ptr @.src, i32 LINE, i32 COLUMN }` in a variable
// without a name. Only the sanitizer's functions use these variables, and the engine only reads their types.
func checkedLine(line []byte) (at Span, ok bool) {
	if line[0] != '@' || len(line) < 2 || !isDigit(line[1]) {
		return at, false
	}
	const source = "@.src"
	i := bytes.Index(line, []byte(source))
	if i < 0 || !bytes.Contains(line[:i], []byte(" = private unnamed_addr global ")) {
		return at, false
	}
	at.Start = i + len(source)
	for at.Start < len(line) && nameByte[line[at.Start]] {
		at.Start++
	}
	const number = ", i32 "
	if !bytes.HasPrefix(line[at.Start:], []byte(number)) {
		return at, false
	}
	at.Start += len(number)
	for at.End = at.Start; at.End < len(line) && isDigit(line[at.End]); {
		at.End++
	}
	return at, at.End > at.Start
}

// within returns the function of a node (-1 for none) and the node of its lines' file (-1 if unknown). It returns false
// if scopes form a cycle.
func within(nodes map[int]*shapeNode, at int) (function, file int, ok bool) {
	function, file = -1, -1
	for range len(nodes) + 1 {
		n := nodes[at]
		if n == nil {
			return function, file, true
		}
		if file < 0 {
			file = n.file
		}
		if n.function {
			return at, file, true
		}
		at = n.scope
	}
	return 0, 0, false
}

// record returns the text between the parentheses of a node, with its offset in the line.
func record(line []byte, kind string) (fields []byte, at int, ok bool) {
	i := bytes.Index(line, []byte(" = "))
	if i < 0 {
		return nil, 0, false
	}
	at = i + len(" = ")
	at += len(line[at:]) - len(bytes.TrimPrefix(line[at:], []byte("distinct ")))
	if !bytes.HasPrefix(line[at:], []byte(kind)) {
		return nil, 0, false
	}
	open := bytes.IndexByte(line[at:], '(')
	if open < 0 {
		return nil, 0, false
	}
	return line[at+open+1:], at + open + 1, true
}

// fileOf returns the name of a DIFile as the engine has it.
func fileOf(line []byte) (string, bool) {
	fields, _, ok := record(line, "!DIFile(")
	if !ok {
		return "", false
	}
	quoted := func(key string) string {
		_, rest, _ := strings.Cut(string(fields), key+`: "`)
		value, _, _ := strings.Cut(rest, `"`)
		return value
	}
	name, dir := quoted("filename"), quoted("directory")
	if strings.Contains(name+dir, `\`) {
		return "", false // an escape
	}
	if name != "" && dir != "" && !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	return name, true
}

// placesOf parses a node whose line begins at offset. The node is nil if it has no position; false means that the line
// is not understood.
func placesOf(line []byte, offset int) (*shapeNode, bool) {
	fields, at, ok := record(line, "!DI")
	if !ok {
		return nil, !bytes.Contains(line, []byte(" = !DI")) && !bytes.Contains(line, []byte(" = distinct !DI"))
	}
	n := &shapeNode{scope: -1, file: -1, function: bytes.Contains(line[:at], []byte("!DISubprogram("))}
	for i := 0; i < len(fields); {
		switch c := fields[i]; {
		case c == '"':
			end := bytes.IndexByte(fields[i+1:], '"')
			if end < 0 {
				return nil, false
			}
			i += end + 2
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			end := i
			for end < len(fields) && nameByte[fields[end]] {
				end++
			}
			key := string(fields[i:end])
			i = end
			value, isField := bytes.CutPrefix(fields[i:], []byte(": "))
			if !isField {
				continue
			}
			i += len(": ")
			node, isNode := bytes.CutPrefix(value, []byte("!"))
			number := digits(string(node[:min(len(node), 20)]))
			switch {
			case len(number) == 0:
			case isNode && key == "scope":
				n.scope = atoi(number)
			case isNode && key == "file":
				n.file = atoi(number)
			case !isNode && (key == "line" || key == "scopeLine"):
				if line := atoi(number); line > 0 { // line 0 is no position
					n.lines = append(n.lines, lineUse{Span{offset + at + i, offset + at + i + len(number)}, line, ""})
				}
			}
			if isNode {
				i++
			}
			i += len(number)
		default:
			i++
		}
	}
	return n, true
}
