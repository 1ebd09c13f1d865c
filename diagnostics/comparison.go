package diagnostics

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Answer is the result of a comparison of two versions of a function.
type Answer string

// The answers.
const (
	SameBehaviour      Answer = "equivalent" // for all inputs of the comparison
	SameWithinBounds   Answer = "bounded"    // no difference within the bounds of loops and calls
	OtherBehaviour     Answer = "different"  // an execution shows a difference
	BehaviourUndecided Answer = "undecided"
)

// Sign returns the mark of an answer in texts and lenses.
func (a Answer) Sign() string {
	switch a {
	case SameBehaviour:
		return "≡"
	case SameWithinBounds:
		return "◐"
	case OtherBehaviour:
		return "≠"
	}
	return "?"
}

// Comparison is the result for one function.
type Comparison struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"` // of the version after the edit
	Base     string `json:"base"`           // the revision of the version before
	Answer   Answer `json:"answer"`
	Reason   string `json:"reason,omitempty"`
	// Steps is the reason why the versions were not shown to be equal step by step; "" if they were.
	Steps string `json:"steps,omitempty"`
	// Size is the largest number of elements of arrays and strings; 0 if there are none.
	Size int `json:"size,omitempty"`
	// Depth is the largest number of structures in a chain of pointers; 0 if there are no chains.
	Depth int `json:"depth,omitempty"`
	// Differences are the places where the versions part.
	Differences []Difference `json:"differences,omitempty"`
	// Assumed are the conditions under which the answer holds. NotCompared are the effects that the comparison does not
	// cover. Excluded are the violations of the version before: their inputs are not compared.
	Assumed     []string `json:"assumed,omitempty"`
	NotCompared []string `json:"not_compared,omitempty"`
	Excluded    []string `json:"excluded,omitempty"`
	MS          int64    `json:"ms"`
}

// Difference is one difference of the two versions, with its counterexample.
type Difference struct {
	What string `json:"what"` // a sentence
	// Before and After are the values that differ, if they are values.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	File   string `json:"file,omitempty"` // of a violation in the version after
	Line   int    `json:"line,omitempty"`
	// Inputs are the values of the counterexample. TraceBefore and TraceAfter are the steps of the versions.
	Inputs      []found.Input `json:"inputs,omitempty"`
	TraceBefore []found.Step  `json:"trace_before,omitempty"`
	TraceAfter  []found.Step  `json:"trace_after,omitempty"`
}

// ComparisonDocument is the JSON of the command equiv.
type ComparisonDocument struct {
	Schema    int           `json:"schema"`
	Tool      string        `json:"tool"`
	Base      string        `json:"base"`
	Functions []*Comparison `json:"functions"`
}

// Sentence returns the answer in words.
func (c *Comparison) Sentence() string {
	inputs := "for " + c.Inputs()
	switch c.Answer {
	case SameBehaviour:
		return "equivalent to " + c.Base + " " + inputs
	case SameWithinBounds:
		return "no difference from " + c.Base + " " + inputs + " within bounds: " + c.Reason
	case OtherBehaviour:
		return "different from " + c.Base + ": " + c.Reason
	}
	return "not decided: " + c.Reason
}

// Inputs returns the inputs that were compared, in words.
func (c *Comparison) Inputs() string {
	size, depth := fmt.Sprintf("sizes up to %d", c.Size), fmt.Sprintf("chains of up to %d structures", c.Depth)
	switch {
	case c.Size > 0 && c.Depth > 0:
		return size + " and " + depth
	case c.Size > 0:
		return size
	case c.Depth > 0:
		return depth
	}
	return "all inputs"
}

// Text returns a difference in words.
func (d *Difference) Text(base string) string {
	text := d.What
	if d.File != "" {
		text += fmt.Sprintf(" (%s:%d)", d.File, d.Line)
	}
	if d.Before != "" || d.After != "" {
		text += fmt.Sprintf(": %s in %s, %s now", d.Before, base, d.After)
	}
	return text
}

// ComparisonStatus returns the exit status for the answers.
func ComparisonStatus(list []*Comparison) int {
	status := ExitProved
	for _, c := range list {
		switch c.Answer {
		case OtherBehaviour:
			return ExitFailed
		case SameWithinBounds, BehaviourUndecided:
			status = ExitUndecided
		}
	}
	return status
}

// WriteComparison writes an answer as text; with verbose, with both traces.
func WriteComparison(w io.Writer, c *Comparison, verbose bool) {
	fmt.Fprintf(w, "%s %s (%s): %s (%.1f s)\n", c.Answer.Sign(), c.Function, ShownName(c.File), c.Sentence(),
		float64(c.MS)/1000)
	for i := range c.Differences {
		d := &c.Differences[i]
		fmt.Fprintf(w, "       = %s\n", d.Text(c.Base))
		for k := range d.Inputs {
			if in := &d.Inputs[k]; !in.Idle || verbose {
				row := inputRow(&Finding{File: in.File}, in)
				fmt.Fprintf(w, "       |   %s\n", row[0])
			}
		}
		if verbose {
			writeTraces(w, c, d)
		}
	}
	tell := func(head string, list []string) {
		if len(list) > 0 {
			fmt.Fprintf(w, "       = %s:\n", head)
		}
		for _, s := range list {
			fmt.Fprintf(w, "       |   %s\n", s)
		}
	}
	if c.Steps != "" && (c.Answer == BehaviourUndecided || c.Answer == SameWithinBounds || verbose) {
		fmt.Fprintf(w, "       = not shown to be equal step by step: %s\n", c.Steps)
	}
	tell("not compared", c.NotCompared)
	if c.Answer != OtherBehaviour || verbose {
		tell("inputs with these violations in "+c.Base+" are not compared", c.Excluded)
		tell("assumed", c.Assumed)
	}
}

// writeTraces writes the steps of both versions side by side.
func writeTraces(w io.Writer, c *Comparison, d *Difference) {
	const width = 44
	left, right := stepLines(d.TraceBefore), stepLines(d.TraceAfter)
	if len(left)+len(right) == 0 {
		return
	}
	cell := func(list []string, i int) string {
		if i >= len(list) {
			return ""
		}
		if r := []rune(list[i]); len(r) > width {
			return string(r[:width-1]) + "…"
		}
		return list[i]
	}
	line := func(a, b string) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("       | %s%s | %s", a, strings.Repeat(" ", width-cells(a)), b), " "))
	}
	line(c.Base, "now")
	for i := range max(len(left), len(right)) {
		line(cell(left, i), cell(right, i))
	}
}

// stepLines returns a line for each step.
func stepLines(steps []found.Step) (lines []string) {
	for i := range steps {
		s := &steps[i]
		lines = append(lines, fmt.Sprintf("%5d  %s", s.Line, strings.Join(strings.Fields(s.Text), " ")))
	}
	return lines
}

// WriteComparisonsJSON writes answers as JSON.
func WriteComparisonsJSON(w io.Writer, d ComparisonDocument) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

// WriteComparisonsSARIF writes the answers that are not equivalent as a SARIF 2.1.0 log.
func WriteComparisonsSARIF(w io.Writer, d ComparisonDocument, src Sources) error {
	s := &sarifWriter{sources: source.NewCache(src), rules: map[string]int{}}
	run := s.emptyRun(d.Tool)
	driver := &run.Tool.Driver
	levels := map[Answer]string{OtherBehaviour: "error", SameWithinBounds: "note", BehaviourUndecided: "note"}
	s.rule(driver, "equiv-different", "Different behaviour", "A function behaves differently than before an edit.",
		"error")
	s.rule(driver, "equiv-bounded", "No difference within bounds", "No difference was found within the bounds.", "note")
	s.rule(driver, "equiv-undecided", "Not compared", "Two versions of a function could not be compared.", "note")
	for _, c := range d.Functions {
		if c.Answer == SameBehaviour {
			continue
		}
		id := "equiv-" + string(c.Answer)
		index := s.rules[id]
		text := c.Function + ": " + c.Sentence()
		for i := range c.Differences {
			text += "\n" + c.Differences[i].Text(c.Base)
		}
		kind := "fail"
		if c.Answer != OtherBehaviour {
			kind = "open"
		}
		level := levels[c.Answer]
		if kind == "open" {
			level = "none" // SARIF requires it of all kinds but fail
		}
		run.Results = append(run.Results, &sarifResult{RuleID: id, RuleIndex: &index, Kind: kind, Level: level,
			Message: sarifMessage{text}, Locations: []*sarifLocation{s.location(c.File, c.Line, 1, source.Range{})},
			PartialFingerprints: map[string]string{"unitproof/v1": "equiv " + c.File + " " + c.Function},
			Properties: sarifProperties{Proof: c.Function, Verdict: string(c.Answer),
				Assumptions: slices.Clone(c.Assumed)}})
	}
	return writeSARIFRun(w, run)
}
