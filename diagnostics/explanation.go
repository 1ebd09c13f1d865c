package diagnostics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// ProofCore is the set of assumptions on which a proof or a finding rests (check --explain).
type ProofCore struct {
	// Needed are assumptions that suffice, including the unchecked ones, which cannot be left out.
	Needed []CoreEntry `json:"needed"`
	// NotNeeded are assumptions of the program that no verdict rests on: without all of them together everything
	// proved is still proved. It is set for whole proofs only.
	NotNeeded []CoreEntry `json:"not_needed,omitempty"`
	// Minimal reports that each assumption of the program in Needed is necessary: without it something is violated or
	// no longer proved.
	Minimal bool `json:"minimal"`
}

// OneValue is an input for which the assumptions leave one value; Text is the first assumption about it.
type OneValue struct {
	Text, Value, File string
	Line, Column      int
}

// InputUse is a nondeterministic input that a finding depends on.
type InputUse struct {
	Kind     found.InputKind `json:"kind"`
	Function string          `json:"function"`
	Variable string          `json:"variable"`
	File     string          `json:"file"`
	Line     int             `json:"line"`
	Column   int             `json:"column"`
}

// Values of Finding.Independent.
const (
	WrittenTrue  = "written-true" // the condition is true for all values of its operands' types
	WithoutInput = "no-input"     // neither the condition nor its reachability depends on an input
)

// Branch is a branch of the user's code, and the ways that executions take.
type Branch struct {
	Text     string      `json:"text"` // of the condition; "" if it is not certain
	File     string      `json:"file"`
	Line     int         `json:"line"`
	Column   int         `json:"column"`
	Function string      `json:"function"`
	Nth      int         `json:"nth,omitempty"` // index among several at one position, from 0
	Ways     []BranchWay `json:"ways"`
	// Entered reports that some execution enters the function.
	Entered bool `json:"entered"`
}

// BranchWay is a way of a branch: "true", "false", "case 3, 4", "default", "case 5, default".
type BranchWay struct {
	Way    string      `json:"way"`
	Values []string    `json:"values,omitempty"` // of a switch's cases, signed decimal
	Taken  found.Taken `json:"taken"`
	// Line and Column are the target of the way.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// unchecked are the kinds of assumptions that verdicts rest on and that no analysis can remove.
var unchecked = map[string]bool{"missing-body": true, "missing-definition": true, "inline-asm": true, "unchecked": true,
	"model-limit": true, "contract": true}

// explain adds the engine's explanation to the proof.
func (m *messenger) explain(p *Proof, x *vcgen.Explanation) {
	if x == nil {
		return
	}
	p.explained, p.Chooses = true, x.Chooses
	for _, v := range x.OneValue {
		e := m.core([]vcgen.CoreEntry{{Kind: found.CoreAssume, Pos: v.Pos}})[0]
		p.OneValue = append(p.OneValue, OneValue{Text: e.Text, Value: v.Value, File: e.File, Line: e.Line, Column: e.Column})
	}
	if x.Known && p.Verdict == found.Proved {
		c := &ProofCore{Needed: m.core(x.Needed), NotNeeded: m.core(x.Spare), Minimal: x.Minimal}
		for i := range c.Needed {
			if e := &c.Needed[i]; e.Kind == found.CoreMalloc {
				*e = CoreEntry{Kind: found.CoreMalloc, Text: "malloc and its like do not fail"}
			}
		}
		for i := range p.Assumptions {
			if a := &p.Assumptions[i]; unchecked[a.Kind] {
				c.Needed = append(c.Needed, CoreEntry{Kind: found.CoreKind(a.Kind), Text: a.Message, File: a.File, Line: a.Line})
			}
		}
		p.Core = c
	}
	inputs := slices.ContainsFunc(x.Findings, func(f vcgen.FindingExplanation) bool { return len(f.Inputs) > 0 })
	for i := range x.Findings {
		e := &x.Findings[i]
		k := slices.IndexFunc(p.Obligations, func(f Finding) bool {
			return f.Kind == e.Kind && f.File == m.root.Show(e.Pos.File) && f.Line == e.Pos.Line && f.Column == e.Pos.Column
		})
		if k < 0 {
			continue
		}
		f := &p.Obligations[k]
		if e.Known && f.Verdict == found.Proved {
			f.Core = &ProofCore{Needed: m.core(e.Needed), Minimal: e.Minimal}
		}
		if e.Inputs == nil {
			continue
		}
		f.InputsUsed = &[]InputUse{}
		for _, u := range e.Inputs {
			*f.InputsUsed = append(*f.InputsUsed, InputUse{Kind: u.Kind, Function: u.Function, Variable: u.Variable,
				File: m.root.Show(u.Pos.File), Line: u.Pos.Line, Column: u.Pos.Column})
		}
		switch {
		case f.Verdict != found.Proved:
		case e.Always:
			f.Independent = WrittenTrue
		case len(e.Inputs) == 0 && inputs: // without any input the proof is a plain test, by intention
			f.Independent = WithoutInput
		}
	}
	for _, b := range x.Branches {
		file := m.root.Show(b.Pos.File)
		src := m.sources.File(file)
		text, inverted, certain := branchTruth(src, b.Pos.Line, b.Pos.Column, b.Turned)
		if b.Switch {
			text, inverted = src.Switch(b.Pos.Line, b.Pos.Column), false
		} else if !certain {
			text, inverted = "", false
		}
		if inverted {
			b.Ways = []vcgen.WayTaken{b.Ways[1], b.Ways[0]}
		}
		out := Branch{Text: text, File: file, Line: b.Pos.Line, Column: b.Pos.Column, Function: b.Pos.Function, Nth: b.Nth,
			Entered: b.Entered}
		for i, w := range b.Ways {
			way := BranchWay{Way: "true", Taken: w.Taken, Line: w.Line, Column: w.Column, Values: w.Values}
			switch {
			case b.Switch:
				way.Way = caseText(w)
			case i == 1:
				way.Way = "false"
			}
			out.Ways = append(out.Ways, way)
		}
		p.Branches = append(p.Branches, out)
	}
}

// caseText returns the name of a way of a switch.
func caseText(w vcgen.WayTaken) string {
	name := ""
	if len(w.Values) > 0 {
		name = "case " + strings.Join(w.Values, ", ")
	}
	if w.Default && name != "" {
		return name + ", default"
	} else if w.Default {
		return "default"
	}
	return name
}

// Switch reports whether the branch is a switch. Any other branch has the ways "true" and "false".
func (b *Branch) Switch() bool { return len(b.Ways) > 0 && b.Ways[0].Way != "true" }

// Default returns the way of a switch for the values of no case. Some cases may share it.
func (b *Branch) Default() *BranchWay { return &b.Ways[len(b.Ways)-1] }

// Explained reports whether --explain, or an editor, asked for an explanation of the proof.
func (p *Proof) Explained() bool { return p.explained }

// Dead returns the ways that no execution takes; nil if none is known.
func (b *Branch) Dead() (branches []BranchWay) {
	for _, w := range b.Ways {
		if w.Taken == found.NeverTaken {
			branches = append(branches, w)
		}
	}
	return branches
}

// DeadSentence describes the dead ways of an entered branch: "`n > 0` is always true"; "" if there are none.
func (b *Branch) DeadSentence() string {
	dead := b.Dead()
	if len(dead) == 0 || !b.Entered {
		return ""
	}
	what := "a condition of this line"
	switch {
	case b.Text != "" && b.Switch():
		what = "`switch (" + b.Text + ")`"
	case b.Text != "":
		what = phrase.Quote(b.Text)
	case b.Switch():
		what = "the switch"
	}
	if len(dead) == len(b.Ways) {
		return what + " is never evaluated"
	}
	if !b.Switch() {
		if b.Text == "" { // the text of the condition may be its negation
			return what + " always takes the same branch"
		}
		if dead[0].Way == "true" {
			return what + " is always false"
		}
		return what + " is always true"
	}
	var names []string
	for _, w := range dead {
		names = append(names, w.Way)
	}
	return "no execution takes " + strings.Join(names, ", ") + " of " + what
}

// inputsText lists the inputs that a finding depends on: "a (nd_int(), line 7), n".
func inputsText(from string, list []InputUse) string {
	var out []string
	for _, u := range list {
		source := string(u.Kind)
		switch {
		case u.Function != "":
			source = u.Function + "()"
		case u.Kind == found.InputUninitialized:
			source = "never written"
		}
		name := u.Variable
		if name == "" {
			name, source = source, ""
		}
		if u.Line > 0 {
			if source != "" {
				source += ", "
			}
			source += phrase.Where(from, u.File, u.Line)
		}
		if source != "" {
			name += " (" + source + ")"
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

// Dependence describes the inputs that an assertion depends on; "" if --explain was not given.
func (f *Finding) Dependence() string {
	switch {
	case f.InputsUsed == nil:
		return ""
	case f.Independent == WrittenTrue:
		return "the condition is always true, whatever its operands are: does it check what you intended?"
	case f.Independent == WithoutInput:
		return "it holds for all inputs, even without the assumptions: does it check what you intended?"
	case len(*f.InputsUsed) == 0:
		return "it depends on no input"
	}
	return "it depends on " + inputsText(f.File, *f.InputsUsed)
}

// RestsOn lists the needed assumptions of a core: "`n < 4` (line 7), `p` (line 8)".
func (c *ProofCore) RestsOn(from string) string { return entriesText(from, c.Needed) }

func entriesText(from string, list []CoreEntry) string {
	var out []string
	for i := range list {
		e := &list[i]
		switch {
		case e.Kind == found.CoreAssume && e.Text != "":
			out = append(out, fmt.Sprintf("%s (%s)", phrase.Quote(e.Text), phrase.Where(from, e.File, e.Line)))
		case e.Line > 0 && e.Text != "":
			out = append(out, fmt.Sprintf("%s (%s)", e.Text, phrase.Where(from, e.File, e.Line)))
		case e.Text != "":
			out = append(out, e.Text)
		default:
			out = append(out, "the assumption on "+phrase.Where(from, e.File, e.Line))
		}
	}
	return strings.Join(out, ", ")
}

// maxDead is the number of branches with dead ways that are listed without -v.
const maxDead = 5

// explanation writes the output of --explain.
func (t *TextWriter) explanation(p *Proof) {
	line := func(text string) { t.printf("         %s\n", t.fill(phrase.Printable(text))) }
	if !p.explained {
		return
	}
	switch c := p.Core; {
	case c == nil && p.Verdict == found.Proved:
		line("the assumptions that it rests on were not determined within the budget")
	case c == nil:
	case len(c.Needed) == 0:
		line("rests on no assumption")
	default:
		text := "rests on " + c.RestsOn(p.File)
		if !c.Minimal {
			text += " (perhaps not minimal)"
		}
		line(text)
	}
	if open := p.IfEnds(); open != "" {
		line("holds " + open + ": that is not proved")
	}
	if p.Core != nil && len(p.Core.NotNeeded) > 0 {
		line("not needed: " + entriesText(p.File, p.Core.NotNeeded))
	}
	for i := range p.Obligations {
		f := &p.Obligations[i]
		if f.Independent != "" {
			line(fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Dependence()))
		}
	}
	var dead []string
	for i := range p.Branches {
		b := &p.Branches[i]
		if s := b.DeadSentence(); s != "" {
			if s = fmt.Sprintf("%s:%d: %s", b.File, b.Line, s); !slices.Contains(dead, s) {
				dead = append(dead, s)
			}
		}
	}
	if len(dead) > maxDead && !t.opts.Verbose {
		dead = []string{fmt.Sprintf("%s with a branch that no execution takes (-v lists "+
			"them)", phrase.Count(len(dead), "condition"))}
	}
	for _, s := range dead {
		line(s)
	}
	if !t.opts.Verbose {
		return
	}
	for i := range p.Obligations {
		f := &p.Obligations[i]
		if f.Core != nil && len(f.Core.Needed) > 0 {
			text := fmt.Sprintf("%s:%d: [%s] rests on %s", f.File, f.Line, f.Kind, f.Core.RestsOn(f.File))
			if !f.Core.Minimal {
				text += " (perhaps not minimal)"
			}
			line(text)
		}
		if f.InputsUsed != nil && f.Independent == "" {
			line(fmt.Sprintf("%s:%d: [%s] %s", f.File, f.Line, f.Kind, f.Dependence()))
		}
	}
}

// BranchStarts returns the offset of each branch's controlling expression in the file, or that of the branch itself
// if the expression is not certain. It is -1 if the file has no such position.
func BranchStarts(sources Sources, file string, list []Branch) []int {
	src := source.NewCache(sources).File(file)
	out := make([]int, len(list))
	for i := range list {
		b := &list[i]
		out[i] = -1
		if src == nil {
			continue
		}
		if at, ok := src.Offset(b.Line, b.Column); ok {
			out[i] = at
		}
		if start, _, ok := src.SwitchSpan(b.Line, b.Column); ok {
			out[i] = start
		} else if start, _, certain, ok := src.BranchSpan(b.Line, b.Column); ok && certain {
			out[i] = start
		}
	}
	return out
}

// branchTruth returns the controlling expression at a position. inverted reports that it is false when the branch
// finds true: clang negates the condition of `if (!c)`, but not that of a loop. certain reports that both are known.
func branchTruth(f *source.File, line, column int, turned vcgen.Turned) (text string, inverted, certain bool) {
	text, certain = f.Branch(line, column)
	if turned == vcgen.OneOfSeveral || turned == "" && source.Inverted(text) {
		certain = false
	}
	return text, turned == vcgen.TurnedAround, certain
}
