package mutants

import (
	"go/ast"
	"go/token"
	"sort"
	"strings"
)

// renderer writes the source of a file with the chosen mutants. Line numbers do not change.
type renderer struct {
	p         *Package
	file      *ast.File
	chosen    map[int]bool
	hasMutant bool // there was a mutant
}

func (r *renderer) source() []byte {
	return []byte(r.between(r.file, 0, token.Pos(len(r.p.text[r.file]))))
}

func (r *renderer) offset(p token.Pos) token.Pos { return token.Pos(r.p.fset.Position(p).Offset) }

// between returns the text of a node from one offset to another, with the mutants of its children.
func (r *renderer) between(n ast.Node, from, to token.Pos) string {
	var parts []ast.Node
	ast.Inspect(n, func(x ast.Node) bool {
		if x == nil || x == n {
			return x != nil
		}
		if r.changed(x) {
			parts = append(parts, x)
			return false
		}
		return true
	})
	sort.Slice(parts, func(i, k int) bool { return parts[i].Pos() < parts[k].Pos() })
	var b strings.Builder
	text := r.p.text[r.file]
	for _, x := range parts {
		start, end := r.offset(x.Pos()), r.offset(x.End())
		b.Write(text[from:start])
		b.WriteString(r.node(x))
		from = end
	}
	b.Write(text[from:to])
	return b.String()
}

func (r *renderer) changed(n ast.Node) bool {
	for _, c := range r.p.changes[n] {
		if r.chosen[c.id] {
			return true
		}
	}
	return false
}

// node returns the text of a node with its own mutants and those of its children.
func (r *renderer) node(n ast.Node) string {
	text := r.between(n, r.offset(n.Pos()), r.offset(n.End()))
	for _, c := range r.p.changes[n] {
		if r.chosen[c.id] {
			r.hasMutant = true
			text = c.wrap(r, text)
		}
	}
	return text
}

// helpers are the functions that changed source calls.
const helpers = `package %s

import (
	"os"
	"strconv"
	"sync"
)

var (
	mutantNumber, _ = strconv.Atoi(os.Getenv("` + Variable + `"))
	mutantsMet      = os.Getenv("` + MetVariable + `")
	mutantsNoted    = map[int]bool{}
	mutantsLock     sync.Mutex
)

// mutated reports whether the process is that of a mutant.
func mutated(id int) bool {
	if mutantsMet != "" {
		mutantsLock.Lock()
		defer mutantsLock.Unlock()
		if !mutantsNoted[id] {
			mutantsNoted[id] = true
			if f, err := os.OpenFile(mutantsMet, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
				f.WriteString(strconv.Itoa(id) + "\n")
				f.Close()
			}
		}
	}
	return id == mutantNumber
}

func mutantValue[T any](id int, was, is T) T {
	if mutated(id) {
		return is
	}
	return was
}

// mutantSame replaces a function by its argument.
func mutantSame[T any](id int, was func(T) T) func(T) T {
	if mutated(id) {
		return func(x T) T { return x }
	}
	return was
}

// mutantWithout leaves out an argument.
func mutantWithout[T any](id, arg int, was func(...T) T) func(...T) T {
	if !mutated(id) {
		return was
	}
	return func(args ...T) T {
		var rest []T
		for i, a := range args {
			if i != arg {
				rest = append(rest, a)
			}
		}
		return was(rest...)
	}
}
`
