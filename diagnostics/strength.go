package diagnostics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Strength is the result of mutation testing for a proof: the small changes of the code under proof that the proof
// detects (unitproof strength).
type Strength struct {
	Name    string        `json:"name"`
	File    string        `json:"file"`
	Verdict found.Verdict `json:"verdict"`          // of the unchanged program; only a proved proof is mutated
	Reason  string        `json:"reason,omitempty"` // for a verdict other than proved
	// Possible is the number of possible mutants; those tried are in Mutants.
	Possible   int `json:"possible"`
	Killed     int `json:"killed"`
	Survived   int `json:"survived"`
	Equivalent int `json:"equivalent"`
	Unknown    int `json:"unknown"`
	Accepted   int `json:"accepted"` // survivors that unitproof.toml accepts; not counted in Survived
	// Score is Killed as a percentage of Killed plus Survived; 100 if both are 0.
	Score     float64            `json:"score"`
	Functions []FunctionStrength `json:"functions"`
	Mutants   []Mutant           `json:"mutants"`
}

// FunctionStrength is the part of the result for one function.
type FunctionStrength struct {
	Function string  `json:"function"`
	Killed   int     `json:"killed"`
	Survived int     `json:"survived"`
	Score    float64 `json:"score"`
}

// Mutant is one change of the program with its outcome.
type Mutant struct {
	Kind     string       `json:"kind"` // comparison, constant, operator, assignment, call, branch
	From     string       `json:"from,omitempty"`
	To       string       `json:"to,omitempty"`
	File     string       `json:"file"`
	Line     int          `json:"line"`
	Column   int          `json:"column"`
	Function string       `json:"function"`
	Outcome  MutantStatus `json:"outcome"`
	// NoticedBy is the first failing check, for a killed mutant.
	NoticedBy string `json:"noticed_by,omitempty"`
	// Lines are those of the failing assertions, if they were asked for (pipeline.StrengthOptions.Marked).
	Lines []int `json:"lines,omitempty"`
	// Inputs are inputs on which the original and a surviving mutant differ, if such were found.
	Inputs []found.Input `json:"inputs,omitempty"`
	Reason string        `json:"reason,omitempty"` // for an unknown outcome
	// Accepted reports that unitproof.toml accepts the survival, with AcceptReason.
	Accepted     bool   `json:"accepted,omitempty"`
	AcceptReason string `json:"accept_reason,omitempty"`
}

// MutantStatus is the result of checking a mutant.
type MutantStatus string

// Statuses of mutants. Equivalent means that no execution of the proof has another state because of the change.
const (
	Killed     MutantStatus = "killed"
	Survived   MutantStatus = "survived"
	Equivalent MutantStatus = "equivalent"
	Undecided  MutantStatus = "unknown"
)

// Count computes the numbers from the outcomes.
func (s *Strength) Count() {
	s.Killed, s.Survived, s.Equivalent, s.Unknown, s.Accepted, s.Functions = 0, 0, 0, 0, 0, []FunctionStrength{}
	for i := range s.Mutants {
		m := &s.Mutants[i]
		k := slices.IndexFunc(s.Functions, func(f FunctionStrength) bool { return f.Function == m.Function })
		if k < 0 {
			k = len(s.Functions)
			s.Functions = append(s.Functions, FunctionStrength{Function: m.Function})
		}
		if m.Accepted {
			s.Accepted++
			continue
		}
		switch m.Outcome {
		case Killed:
			s.Killed++
			s.Functions[k].Killed++
		case Survived:
			s.Survived++
			s.Functions[k].Survived++
		case Equivalent:
			s.Equivalent++
		default:
			s.Unknown++
		}
	}
	score := func(killed, survived int) float64 {
		if killed+survived == 0 {
			return 100
		}
		return 100 * float64(killed) / float64(killed+survived)
	}
	s.Score = score(s.Killed, s.Survived)
	for k := range s.Functions {
		s.Functions[k].Score = score(s.Functions[k].Killed, s.Functions[k].Survived)
	}
}

// Change describes a mutant in terms of C: "`<` becomes `<=`".
func (m *Mutant) Change() string {
	switch m.Kind {
	case "comparison", "operator", "constant":
		return fmt.Sprintf("%s becomes %s", phrase.Quote(m.From), phrase.Quote(m.To))
	case "assignment":
		return "the assignment is left out"
	case "call":
		return "the call of " + m.From + " is left out"
	}
	return "the branch goes the other way"
}

// Sentence describes a survivor: "`<` becomes `<=`, but all checks of the proof still pass; the programs differ for
// example with x = 0".
func (m *Mutant) Sentence() string {
	text := m.Change() + ", but all checks of the proof still pass"
	if e := m.Example(); e != "" {
		text += "; the programs differ, for example, with " + e
	}
	return text
}

// Example returns the inputs on which a survivor differs: "n = 0 (nd_int(), line 3)"; "" if there are none.
func (m *Mutant) Example() string {
	var list []string
	for i := range m.Inputs {
		if i == 4 {
			list = append(list, fmt.Sprintf("and %d more", len(m.Inputs)-i))
			break
		}
		in := &m.Inputs[i]
		row := inputRow(&Finding{File: m.File}, in)
		list = append(list, row[0])
	}
	return strings.Join(list, ", ")
}

// Mutant writes a surviving mutant.
func (t *TextWriter) Mutant(m *Mutant) {
	if (m.Outcome != Survived || m.Accepted) && !t.opts.Verbose {
		return
	}
	// All mutants in the expansion of a macro have the macro's position.
	if at := (fileLine{m.File, m.Line}); !t.opts.Verbose && at == t.survived.at && m.Column == t.survived.column {
		t.survived.more++
		return
	} else {
		t.foldedMutants()
		t.survived.at, t.survived.column = at, m.Column
	}
	t.head(m.File, m.Line, m.Column)
	what := map[MutantStatus]string{Killed: "noticed by " + m.NoticedBy, Survived: "all checks of the proof still pass",
		Equivalent: "no execution of the proof differs", Undecided: m.Reason}[m.Outcome]
	label := string(m.Outcome)
	switch {
	case m.Accepted:
		label += " (accepted)"
		if m.AcceptReason != "" {
			what = "accepted: " + m.AcceptReason
		}
	case m.Outcome == Survived:
		label = t.style.paint(sgrYellow, label)
	}
	t.printf("%s %s %s\n", label, t.style.dim("["+m.Kind+"]"), t.style.bold(phrase.Printable(m.Change()+": "+what)))
	if m.Outcome != Survived || m.Accepted {
		return
	}
	t.excerpt(m.File, m.Line, m.Column, t.sources.File(m.File).Range(m.Line, m.Column, 0), sgrYellow, "")
	if e := m.Example(); e != "" {
		t.note("the programs differ, for example, with " + e)
	}
	t.printf("\n")
}

// foldedMutants writes the number of omitted mutants at the position of the last survivor.
func (t *TextWriter) foldedMutants() {
	if n := t.survived.more; n > 0 {
		t.note(phrase.Count(n, "more change") + " at this place: all checks of the proof pass there too (-v)")
		t.printf("\n")
	}
	t.survived = survivors{}
}

// survivors are the survivors at one position: the first is written, and the others are counted.
type survivors struct {
	at     fileLine
	column int
	more   int
}

// Strength writes the line of a proof.
func (t *TextWriter) Strength(s *Strength) {
	t.foldedMutants()
	if s.Verdict != found.Proved {
		t.printf("%s: not measured, since it is %s", phrase.Name(s.Name), s.Verdict)
		if s.Reason != "" {
			t.printf(": %s", phrase.Printable(s.Reason))
		}
		t.printf("\n")
		return
	}
	t.printf("%s: %s\n", phrase.Name(s.Name), s.Summary())
	if len(s.Functions) > 1 {
		for _, f := range s.Functions {
			if f.Survived > 0 {
				t.printf("         %s: %d of %d noticed\n", phrase.Name(f.Function), f.Killed, f.Killed+f.Survived)
			}
		}
	}
}

// Summary returns the counts of a proved proof: "5 of 9 changes noticed (56 %), 2 without effect".
func (s *Strength) Summary() string {
	text := fmt.Sprintf("%d of %s noticed (%.0f %%)", s.Killed, phrase.Count(s.Killed+s.Survived, "change"), s.Score)
	if s.Equivalent > 0 {
		text += fmt.Sprintf(", %d without effect", s.Equivalent)
	}
	if s.Accepted > 0 {
		text += fmt.Sprintf(", %d accepted", s.Accepted)
	}
	if s.Unknown > 0 {
		text += fmt.Sprintf(", %d not decided", s.Unknown)
	}
	if s.Possible > len(s.Mutants) {
		text += fmt.Sprintf(", of %d possible ones", s.Possible)
	}
	return text
}
