package diagnostics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Loop is a loop of the program with the method that covers its iterations (contract, section 10).
type Loop struct {
	Loop   string           `json:"loop"` // function#k
	Method found.LoopMethod `json:"method"`
	// Iterations is the largest number of executions of the body, if the loop was unrolled.
	Iterations int               `json:"iterations,omitempty"`
	Invariants []found.Invariant `json:"invariants,omitempty"`
	// Before is the number of arrivals at the head at which the invariants that were found may not hold.
	Before int `json:"before,omitempty"`
	// Unwritten counts the invariants that were found but have no rendering in C.
	Unwritten int `json:"unwritten,omitempty"`
	// MayNotEnd reports that termination of the loop is neither evident nor proved.
	MayNotEnd bool `json:"may_not_end,omitempty"`
	// Cut reports whether the loop was also unrolled up to a bound. Checks that are not proved hold only within it.
	Cut    bool   `json:"cut,omitempty"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// loopsOf converts the engine's loops, with paths relative to root.
func loopsOf(list []found.Loop, root paths.Root) []Loop {
	var out []Loop
	for _, l := range list {
		out = append(out, Loop{Loop: l.Name, Method: l.Method, Iterations: l.Iterations, Invariants: l.Invariants,
			Before: l.Before, Unwritten: l.Unwritten, MayNotEnd: l.MayNotEnd, File: root.Show(l.At.File),
			Line: l.At.Line, Column: l.At.Column})
	}
	return out
}

// EveryLength reports whether the results about the loop hold for every number of iterations.
func (l *Loop) EveryLength() bool { return l.Method != found.Unrolled }

// Found returns the inferred invariants, as C text.
func (l *Loop) Found() (texts []string) {
	for _, inv := range l.Invariants {
		if inv.Origin == found.Found {
			texts = append(texts, inv.Text)
		}
	}
	return texts
}

// EveryLength reports whether the proof is proved and covers every number of iterations of some loop without
// unrolling it.
func (p *Proof) EveryLength() bool {
	for i := range p.Loops {
		if p.Loops[i].EveryLength() {
			return p.Verdict == found.Proved
		}
	}
	return false
}

// IfEnds returns the condition under which a proved proof holds: "if loop f#1 ends"; "" if there is none. Termination
// of loops is not part of the proof; for most loops it is evident (flow.LoopEnds).
func (p *Proof) IfEnds() string {
	var names []string
	for i := range p.Loops {
		if l := &p.Loops[i]; l.MayNotEnd && !slices.Contains(names, l.Loop) {
			names = append(names, l.Loop)
		}
	}
	switch n := len(names); {
	case n == 0 || p.Verdict != found.Proved:
		return ""
	case n == 1:
		return "if loop " + names[0] + " ends"
	case n == 2:
		return "if loops " + names[0] + " and " + names[1] + " end"
	default:
		return fmt.Sprintf("if %d loops end", n)
	}
}

// Conditions returns the invariants of a loop as C text, followed by the number of further ones.
func (l *Loop) Conditions() (texts []string) {
	for _, inv := range l.Invariants {
		texts = append(texts, inv.Text)
	}
	if l.Unwritten > 0 {
		more := ""
		if len(texts) > 0 {
			more = " more"
		}
		texts = append(texts, fmt.Sprintf("%d%s that cannot be written as a short C condition", l.Unwritten, more))
	}
	return texts
}

// From says from which iteration on the found invariants hold, "from iteration 2 on"; "" if they hold in all.
func (l *Loop) From() string {
	if l.Before == 0 {
		return ""
	}
	return fmt.Sprintf("from iteration %d on", l.Before+1)
}

// LoopText returns the method that covers the iterations of a loop: "every number of iterations, by induction".
func LoopText(l *Loop) string {
	text := "unrolled, " + phrase.Count(l.Iterations, "iteration")
	switch l.Method {
	case found.Induction:
		text = "every number of iterations, by induction"
		if l.Cut {
			text = "cut; found for every number of iterations, by induction"
		}
		if l.Before > 0 {
			text += " " + l.From()
		}
	case found.ByContract:
		text = "every number of iterations, by its contract"
	case found.Summary:
		text = "every number of iterations at once"
	}
	if l.MayNotEnd {
		text += " (termination is not proved)"
	}
	return text
}

// loops writes the method that covers the iterations of each loop.
func (t *TextWriter) loops(p *Proof) {
	for i := range p.Loops {
		l := &p.Loops[i]
		if !t.opts.Verbose && l.Method != found.Induction {
			continue
		}
		text := fmt.Sprintf("loop %s (%s:%d): %s", phrase.Name(l.Loop), phrase.Name(l.File), l.Line,
			phrase.Printable(LoopText(l)))
		conditions := l.Conditions()
		switch {
		case l.Cut && len(conditions) == 0 && !t.opts.Verbose:
			continue // the summary names the bound
		case l.Cut && len(conditions) > 0:
			text += ":"
		case len(conditions) > 0:
			text += ", with"
		}
		t.note(text)
		for _, c := range conditions {
			t.printf("%s%s\n", strings.Repeat(" ", remarkIndent+2), phrase.Printable(c))
		}
	}
}
