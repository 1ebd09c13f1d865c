package diagnostics

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// stats writes the costs of a proof as a table of two columns of names and numbers.
func (t *TextWriter) stats(p *Proof) {
	type row struct {
		name  string
		value string
	}
	num := func(name string, n int64) row { return row{name, thousands(n)} }
	ms := func(name string, n int64) row { return row{name, thousands(n) + " ms"} }
	s := &p.Stats
	left := []row{ms("compile", s.CompileMS), ms("generate", s.VCGenMS), ms("solve", s.SolveMS), ms("total", s.TotalMS),
		{"memory", thousands(s.MemoryMB) + " MB"}}
	right := []row{num("obligations", int64(s.Obligations)), num("solver queries", int64(s.SolverQueries)),
		num("cache hits", int64(s.CacheHits))}
	if e := p.Engine; e != nil {
		right = append(right, num("settled by folding", int64(e.SettledFolded)), num("instructions", e.Instructions),
			num("terms", int64(e.Terms)),
			num("events", int64(e.Events)), num("objects", int64(e.Objects)), num("clauses", e.Clauses),
			num("conflicts", e.SolverConflicts))
		for _, name := range slices.Sorted(maps.Keys(e.Mechanisms)) {
			left = append(left, num(name, e.Mechanisms[name]))
		}
		if t.opts.Verbose {
			for _, name := range slices.Sorted(maps.Keys(e.Rules)) {
				right = append(right, num("rule "+name, e.Rules[name]))
			}
		}
	}
	widths := func(rows []row) (name, value int) {
		for _, r := range rows {
			name, value = max(name, cells(r.name)), max(value, cells(r.value))
		}
		return name, value
	}
	cell := func(r row, name, value int) string {
		return r.name + strings.Repeat(" ", name-cells(r.name)+2+value-cells(r.value)) + r.value
	}
	ln, lv := widths(left)
	rn, rv := widths(right)
	for i := range max(len(left), len(right)) {
		line := strings.Repeat(" ", ln+2+lv)
		if i < len(left) {
			line = cell(left[i], ln, lv)
		}
		if i < len(right) {
			line += "     " + cell(right[i], rn, rv)
		}
		t.printf("         %s\n", t.style.dim(strings.TrimRight(line, " ")))
	}
}

// thousands groups digits: 1 234 567.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
