package pipeline

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// A report on a program is also valid for another program of the same shape (asm.Shape) once the line of each place is
// replaced by the corresponding line of that program.

// carriesLines reports whether carryLines can translate a report: all its lines are in places, none in text, and each
// is a line of the program.
func carriesLines(report *vcgen.Report, lines map[string][]int) bool {
	c := lineCarrier{from: lines, to: lines}
	return c.report(report)
}

// carryLines replaces the lines of one program by those of another one of its shape. It reports whether it succeeded;
// if not, the report is partly translated and must not be used.
func carryLines(report *vcgen.Report, from, to map[string][]int) bool {
	c := lineCarrier{from: from, to: to}
	return c.report(report)
}

type lineCarrier struct {
	from, to map[string][]int // by file, ascending
	names    []string         // base names of the files, each with a colon appended
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
	countType = reflect.TypeFor[map[string]int64]() // by name of a part of the engine
)

// value translates the places in a value and reports whether it could.
func (c *lineCarrier) value(v reflect.Value) bool {
	switch {
	case v.Type() == posType:
		return c.place(v.Addr().Interface().(*found.Pos))
	case v.Type() == bytesType, v.Type() == countType: // the choices of an execution, and counters
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
		return false // reports have no values of these kinds
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
