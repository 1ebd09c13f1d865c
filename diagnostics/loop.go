package diagnostics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Loop is a loop or a recursive function with the method that covers its iterations or calls (contract, section 10).
type Loop struct {
	Loop   string           `json:"loop"` // function#k, or the function
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
	// NoExit reports that no branch leaves the loop: an execution that enters it never ends.
	NoExit bool `json:"no_exit,omitempty"`
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
			Before: l.Before, Unwritten: l.Unwritten, MayNotEnd: l.MayNotEnd, NoExit: l.NoExit, File: root.Show(l.At.File),
			Line: l.At.Line, Column: l.At.Column})
	}
	return out
}

// EveryLength reports whether the results about the loop hold for every number of iterations.
func (l *Loop) EveryLength() bool { return l.Method != found.Unrolled }

// CountLoops returns how many loops, and how many recursive functions, hold without a bound.
func CountLoops(list []Loop) (loops, recursions int) {
	for i := range list {
		switch l := &list[i]; {
		case !l.EveryLength():
		case phrase.IsLoop(l.Loop):
			loops++
		default:
			recursions++
		}
	}
	return loops, recursions
}

// Found returns the inferred invariants, as C text.
func (l *Loop) Found() (texts []string) {
	for _, inv := range l.Invariants {
		if inv.Origin == found.Found {
			texts = append(texts, inv.Text)
		}
	}
	return texts
}

// Extent says what a proved proof covers without unrolling it: "for every number of iterations"; "" if nothing is.
func (p *Proof) Extent() string {
	loops, recursions := CountLoops(p.Loops)
	switch {
	case p.Verdict != found.Proved || loops+recursions == 0:
		return ""
	case recursions == 0:
		return "for every number of iterations"
	case loops == 0:
		return "for every depth of recursion"
	}
	return "for every number of iterations and depth of recursion"
}

// IfEnds returns the condition under which a proved proof holds: "if loop f#1 ends"; "" if there is none. Termination
// of loops and recursions is not part of the proof; for most loops it is evident (flow.LoopEnds).
func (p *Proof) IfEnds() string {
	var loops, functions []string
	for i := range p.Loops {
		l := &p.Loops[i]
		switch {
		case !l.MayNotEnd || slices.Contains(loops, l.Loop) || slices.Contains(functions, l.Loop):
		case phrase.IsLoop(l.Loop):
			loops = append(loops, l.Loop)
		default:
			functions = append(functions, l.Loop)
		}
	}
	if p.Verdict != found.Proved || len(loops)+len(functions) == 0 {
		return ""
	}
	var parts []string
	for _, group := range []struct {
		what  string
		names []string
	}{{"loop", loops}, {"recursion", functions}} {
		switch names := group.names; len(names) {
		case 0:
		case 1:
			what := "loop " + names[0]
			if group.what != "loop" {
				what = "the recursion of " + names[0]
			}
			parts = append(parts, what)
		case 2:
			if group.what == "loop" {
				parts = append(parts, "loops "+names[0]+" and "+names[1])
			} else {
				parts = append(parts, "the recursions of "+names[0]+" and "+names[1])
			}
		default:
			parts = append(parts, phrase.Count(len(names), group.what))
		}
	}
	if len(loops)+len(functions) == 1 {
		return "if " + parts[0] + " ends"
	}
	return "if " + strings.Join(parts, " and ") + " end"
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

// Title names a loop, or the recursion of a function.
func (l *Loop) Title() string {
	if phrase.IsLoop(l.Loop) {
		return "loop " + phrase.Name(l.Loop)
	}
	return "recursion of " + phrase.Name(l.Loop)
}

// LoopText returns the method that covers the iterations of a loop: "every number of iterations, by induction".
func LoopText(l *Loop) string {
	text := "unrolled, " + phrase.Count(l.Iterations, "iteration")
	every := "every number of iterations"
	if !phrase.IsLoop(l.Loop) {
		every = "every depth"
	}
	switch l.Method {
	case found.Induction:
		text = every + ", by induction"
		if l.Cut {
			text = "cut; found for " + every + ", by induction"
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
		text := fmt.Sprintf("%s (%s:%d): %s", l.Title(), phrase.Name(l.File), l.Line, phrase.Printable(LoopText(l)))
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
