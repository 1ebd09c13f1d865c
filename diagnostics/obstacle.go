package diagnostics

import (
	"strings"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Obstacle is a counterexample to induction: a state that the invariants at a loop head allow, and from which the
// finding is violated. It need not be reachable.
type Obstacle struct {
	Loop string `json:"loop,omitempty"` // function#k
	// File, Line and Column are the position of the invariant that allows the state.
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// State has the variables in scope at the head, the objects they point to ("a[0 .. 15]"), and global variables.
	State []NamedValue `json:"state"`
	// Violation is the sentence of the violation that follows from the state.
	Violation string `json:"violation"`
	// Operands and Trace are like those of a failed finding. The trace begins at the head.
	Operands []found.Operand `json:"operands,omitempty"`
	Trace    []found.Step    `json:"trace,omitempty"`
}

// NamedValue is a variable with its value in C.
type NamedValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// obstacle converts a counterexample to induction to the words and paths of the proof; nil if there is none.
func (m *messenger) obstacle(way *found.Obstacle, f *Finding, meta *ProofMeta) *Obstacle {
	if way == nil || way.Violation == nil {
		return nil
	}
	v := way.Violation
	o := &Obstacle{Loop: way.Loop, File: meta.Root.Show(way.At.File), Line: way.At.Line, Column: way.At.Column,
		State: []NamedValue{}}
	for _, x := range way.State {
		o.State = append(o.State, NamedValue(x))
	}
	if o.Trace = m.trace(v); !meta.WholeTrace {
		o.Trace = foldLoops(o.Trace)
	}
	o.Operands, _, _ = m.operands(v)
	behind := said{names: v.Said}
	if c, ok := m.sources.File(f.File).Condition(f.Line, f.Column); ok && f.Kind == found.Assertion {
		o.Violation = phrase.Quote(c.Text()) + " is false"
		behind = said{condition: c.Text(), expression: c.Text()}
	} else {
		o.Violation = strings.TrimSuffix(phrase.OneLine(relativeText(m.root, v.Message)), ".")
	}
	if values := m.values(v.Operands, behind, m.root, maxSaid); values != "" {
		o.Violation += ": " + values
	}
	return o
}

// Title describes an obstacle, with its place as seen from the file from.
func (o *Obstacle) Title(from string) string {
	known := "the invariant at " + phrase.Where(from, o.File, o.Line)
	return "in the way, not an execution: a state that " + known + " allows"
}

// obstacle writes the counterexample to induction of a finding.
func (t *TextWriter) obstacle(f *Finding) {
	o := f.InTheWay
	if o == nil {
		return
	}
	t.note(o.Title(f.File) + ":")
	limit := len(o.State)
	if !t.opts.Verbose && limit > maxTrace/2 {
		limit = maxTrace / 2
	}
	for _, v := range o.State[:limit] {
		t.printf("         %s = %s\n", phrase.Name(v.Name), CompactValue(phrase.OneLine(v.Value), 72))
	}
	if more := len(o.State) - limit; more > 0 {
		t.printf("         … %d more (-v)\n", more)
	}
	if len(o.Trace) > 1 {
		t.steps("from there:", o.Trace)
	} else {
		t.note("there: " + phrase.Printable(o.Violation))
	}
}
