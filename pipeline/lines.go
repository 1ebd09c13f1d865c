package pipeline

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// A report on a program is one on each program of its shape (asm.Shape), once each of its places has the line that
// stands for its own there.

// carriesLines tells whether a report says all that it says of lines in places that carryLines finds, which are those
// of lines that the program names, rather than in words.
func carriesLines(report *vcgen.Report, lines map[string][]int) bool {
	c := lineCarrier{from: lines, to: lines}
	return c.report(report)
}

// carryLines puts the lines of one program in the place of those of another one of its shape. false: it cannot, and the
// report is spoilt.
func carryLines(report *vcgen.Report, from, to map[string][]int) bool {
	c := lineCarrier{from: from, to: to}
	return c.report(report)
}

type lineCarrier struct {
	from, to map[string][]int // by file, ascending
	names    []string         // of files without folders, with a colon behind them
}

func (c *lineCarrier) report(r *vcgen.Report) bool {
	if r.Covered != nil || r.Explained != nil || len(c.from) != len(c.to) {
		return false
	}
	for file, lines := range c.from {
		if len(c.to[file]) != len(lines) {
			return false
		}
		c.names = append(c.names, path.Base(file)+":")
	}
	return c.value(reflect.ValueOf(r).Elem())
}

var (
	posType   = reflect.TypeFor[found.Pos]()
	bytesType = reflect.TypeFor[[]byte]()
	countType = reflect.TypeFor[map[string]int64]() // by names of parts of the engine
)

// value carries what a value holds.
func (c *lineCarrier) value(v reflect.Value) bool {
	switch {
	case v.Type() == posType:
		return c.place(v.Addr().Interface().(*found.Pos))
	case v.Type() == bytesType, v.Type() == countType: // the choices of an execution
		return true
	}
	switch v.Kind() {
	case reflect.Pointer:
		return v.IsNil() || c.value(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if !c.value(v.Index(i)) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && !c.value(v.Field(i)) {
				return false
			}
		}
	case reflect.String:
		return !slices.ContainsFunc(c.names, func(name string) bool { return strings.Contains(v.String(), name) })
	case reflect.Map:
		return v.IsNil()
	case reflect.Interface, reflect.Array, reflect.Func, reflect.Chan:
		return false // nothing of that kind is there
	}
	return true
}

func (c *lineCarrier) place(p *found.Pos) bool {
	if p.Line == 0 {
		return true
	}
	n, ok := slices.BinarySearch(c.from[p.File], p.Line)
	if !ok {
		return false
	}
	p.Line = c.to[p.File][n]
	return true
}
