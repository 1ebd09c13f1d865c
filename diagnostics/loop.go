package diagnostics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Loop is a loop of the program, and what stands for its iterations (contract, section 10).
type Loop struct {
	Loop   string           `json:"loop"` // function#k
	Method found.LoopMethod `json:"method"`
	// Iterations is how often the body was executed at most, where the loop was unrolled.
	Iterations int               `json:"iterations,omitempty"`
	Invariants []found.Invariant `json:"invariants,omitempty"`
	// Unwritten counts the invariants that were found and are no condition of C.
	Unwritten int `json:"unwritten,omitempty"`
	// MayNotEnd: that the loop ends was neither seen nor proved.
	MayNotEnd bool   `json:"may_not_end,omitempty"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
}

// loopsOf are the engine's, with places relative to root.
func loopsOf(list []found.Loop, root paths.Root) []Loop {
	var out []Loop
	for _, l := range list {
		out = append(out, Loop{Loop: l.Name, Method: l.Method, Iterations: l.Iterations, Invariants: l.Invariants,
			Unwritten: l.Unwritten, MayNotEnd: l.MayNotEnd, File: root.Show(l.At.File), Line: l.At.Line, Column: l.At.Column})
	}
	return out
}

// EveryLength tells whether what is known of the loop is known of every number of iterations.
func (l *Loop) EveryLength() bool { return l.Method != found.Unrolled }

// Found are the invariants that nobody wrote, each in C.
func (l *Loop) Found() (texts []string) {
	for _, inv := range l.Invariants {
		if inv.Origin == found.Found {
			texts = append(texts, inv.Text)
		}
	}
	return texts
}

// EveryLength tells whether the proof holds for every number of iterations of some loop that was not unrolled.
func (p *Proof) EveryLength() bool {
	for i := range p.Loops {
		if p.Loops[i].EveryLength() {
			return p.Verdict == found.Proved
		}
	}
	return false
}

// IfEnds says what a proved proof leaves open of its loops: "if loop f#1 ends"; "" for nothing. That every loop ends is
// no part of what is proved; of most it is seen (flow.LoopEnds).
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

// Conditions are the invariants of a loop, each in C, and at last how many more there are.
func (l *Loop) Conditions() (texts []string) {
	for _, inv := range l.Invariants {
		texts = append(texts, inv.Text)
	}
	if l.Unwritten > 0 {
		more := ""
		if len(texts) > 0 {
			more = " more"
		}
		texts = append(texts, fmt.Sprintf("%d%s that no short condition of C says", l.Unwritten, more))
	}
	return texts
}

// LoopText says what stands for the iterations of a loop: "every number of iterations, by induction".
func LoopText(l *Loop) string {
	text := "unrolled, " + phrase.Count(l.Iterations, "iteration")
	switch l.Method {
	case found.Induction:
		text = "every number of iterations, by induction"
	case found.ByContract:
		text = "every number of iterations, by its contract"
	case found.Summary:
		text = "every number of iterations at once"
	}
	if l.MayNotEnd {
		text += " (that it ends is not proved)"
	}
	return text
}

// loops writes what stands for the iterations of loops.
func (t *TextWriter) loops(p *Proof) {
	for i := range p.Loops {
		l := &p.Loops[i]
		if !t.opts.Verbose && l.Method != found.Induction {
			continue
		}
		text := fmt.Sprintf("loop %s (%s:%d): %s", phrase.Name(l.Loop), phrase.Name(l.File), l.Line,
			phrase.Printable(LoopText(l)))
		conditions := l.Conditions()
		if len(conditions) > 0 {
			text += ", with"
		}
		t.note(text)
		for _, c := range conditions {
			t.printf("%s%s\n", strings.Repeat(" ", remarkIndent+2), phrase.Printable(c))
		}
	}
}
