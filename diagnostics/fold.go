package diagnostics

import (
	"fmt"
	"strings"
)

// traceLine is a step of a trace as it is shown, or the note that some are left out.
type traceLine struct {
	step    *Step
	omitted string
}

// minRepeats is how often a sequence of steps has to follow itself to be folded.
const minRepeats = 4

// maxPeriod is the longest loop body, in steps, that is looked for.
const maxPeriod = 48

// foldTrace picks the steps that matter to a reader. Steps that repeat (the same places writing
// to the same variables) are shown for the first and the last iteration.
func foldTrace(steps []Step) []traceLine {
	essential := make([]*Step, 0, len(steps))
	for i := range steps {
		if isEssential(&steps[i]) {
			essential = append(essential, &steps[i])
		}
	}
	keys := make([]string, len(essential))
	for i, s := range essential {
		keys[i] = fmt.Sprintf("%s:%d:%d %d %s %s", s.File, s.Line, s.Column, s.Depth, s.Event, s.LValue)
	}
	var out []traceLine
	for i := 0; i < len(essential); {
		period, repeats := repetition(keys[i:])
		if repeats < minRepeats {
			out = append(out, traceLine{step: essential[i]})
			i++
			continue
		}
		for _, s := range essential[i : i+period] {
			out = append(out, traceLine{step: s})
		}
		out = append(out, traceLine{omitted: fmt.Sprintf("… %s", count(repeats-2, "more iteration"))})
		last := i + (repeats-1)*period
		for _, s := range essential[last : last+period] {
			out = append(out, traceLine{step: s})
		}
		i = last + period
	}
	return out
}

// isEssential leaves out what a reader of a counterexample does not need: the violation itself
// (it is the finding), assumptions that held, and returns without a value.
func isEssential(s *Step) bool {
	switch s.Event {
	case "violation", "assume":
		return false
	case "return":
		return s.Value != "" || strings.TrimSpace(s.Text) != ""
	}
	return true
}

// repetition returns the period with which keys repeat from their start, and how often.
func repetition(keys []string) (period, repeats int) {
	for p := 1; p <= maxPeriod && p*minRepeats <= len(keys); p++ {
		if keys[0] != keys[p] {
			continue
		}
		n := p
		for n < len(keys) && keys[n] == keys[n-p] {
			n++
		}
		if n/p >= minRepeats {
			return p, n / p
		}
	}
	return 0, 0
}

// limitTrace keeps the first few and the last lines of a long trace.
func limitTrace(lines []traceLine, limit int) []traceLine {
	if limit <= 0 || len(lines) <= limit {
		return lines
	}
	head := limit / 4
	tail := limit - head - 1
	out := append([]traceLine(nil), lines[:head]...)
	out = append(out, traceLine{omitted: fmt.Sprintf("… %d more (-v)", len(lines)-head-tail)})
	return append(out, lines[len(lines)-tail:]...)
}

// stepText is what a step says: the engine's text, else one made from its parts.
func stepText(s *Step) string {
	if text := oneLine(s.Text); text != "" {
		return text
	}
	switch {
	case s.LValue != "" && s.Old != "":
		return oneLine(fmt.Sprintf("%s = %s (was %s)", s.LValue, s.Value, s.Old))
	case s.LValue != "":
		return oneLine(fmt.Sprintf("%s = %s", s.LValue, s.Value))
	case s.Value != "":
		return oneLine(s.Event + " " + s.Value)
	}
	return s.Event
}
