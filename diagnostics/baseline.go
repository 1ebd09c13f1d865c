package diagnostics

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Baseline records the results of a run so that later runs can be compared with it (check --baseline). It has nothing
// that depends on the machine or its load.
type Baseline struct {
	Schema int    `json:"schema"`
	Tool   string `json:"tool"`
	Proofs []Past `json:"proofs"` // by name
}

// Past is the recorded result of one proof.
type Past struct {
	Name    string        `json:"name"`
	Verdict found.Verdict `json:"verdict"`
	// Proved counts the proved findings by kind.
	Proved map[found.Kind]int `json:"proved"`
	// Steps counts the work of the engine. Steps of different builds are not comparable.
	Steps int64 `json:"steps"`
	// Assumes are the conditions that the program assumes, Unchecked all further assumptions that are not checked.
	Assumes   []string `json:"assumes"`
	Unchecked []string `json:"unchecked"`
}

// Change is one difference between a proof's result and its past.
type Change struct {
	Proof string
	Text  string // "2 obligations fewer than before are proved (12, were 14): division-by-zero"
	// Worse reports that the result covers less than before. A run that is compared with a baseline fails for it.
	Worse bool
}

// NewBaseline returns the baseline of a run.
func NewBaseline(tool string, proofs []Proof) *Baseline {
	b := &Baseline{Schema: Schema, Tool: tool, Proofs: []Past{}}
	for i := range proofs {
		p := &proofs[i]
		past := Past{Name: p.Name, Verdict: p.Verdict, Proved: map[found.Kind]int{},
			Assumes: slices.Sorted(slices.Values(p.Assumes)), Unchecked: []string{}}
		if past.Assumes == nil {
			past.Assumes = []string{}
		}
		for k := range p.Obligations {
			if f := &p.Obligations[k]; f.Verdict == found.Proved {
				past.Proved[f.Kind]++
			}
		}
		for k := range p.Assumptions {
			past.Unchecked = append(past.Unchecked, p.Assumptions[k].Message)
		}
		slices.Sort(past.Unchecked)
		past.Unchecked = slices.Compact(past.Unchecked)
		if p.Engine != nil {
			past.Steps = p.Engine.Steps
		}
		b.Proofs = append(b.Proofs, past)
	}
	slices.SortFunc(b.Proofs, func(a, b Past) int { return strings.Compare(a.Name, b.Name) })
	return b
}

// WriteBaseline writes a baseline as JSON.
func WriteBaseline(w io.Writer, b *Baseline) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(b)
}

// ReadBaseline parses the output of WriteBaseline.
func ReadBaseline(text []byte) (*Baseline, error) {
	var b Baseline
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, fmt.Errorf("this is not a baseline of unitproof: %w", err)
	}
	if b.Schema != Schema || b.Proofs == nil {
		return nil, fmt.Errorf("this is not a baseline of unitproof: the schema is %d, expected %d", b.Schema, Schema)
	}
	return &b, nil
}

// slower is the factor of growth from which more steps are reported; a proof with fewer than fewSteps steps is not
// compared.
const (
	slower   = 2
	fewSteps = 100_000
)

// Compare returns the differences between the proofs of a run and their past. If all is set, proofs that only one of
// the two runs has are differences too.
func (b *Baseline) Compare(now *Baseline, all bool) (list []Change) {
	past := map[string]*Past{}
	for i := range b.Proofs {
		past[b.Proofs[i].Name] = &b.Proofs[i]
	}
	for i := range now.Proofs {
		p := &now.Proofs[i]
		was := past[p.Name]
		delete(past, p.Name)
		if was == nil {
			if all {
				list = append(list, Change{p.Name, "is new", false})
			}
			continue
		}
		for _, c := range p.since(was, b.Tool == now.Tool) {
			c.Proof = p.Name
			list = append(list, c)
		}
	}
	for i := range b.Proofs {
		if p := &b.Proofs[i]; all && past[p.Name] != nil {
			list = append(list, Change{p.Name, "no longer exists", true})
		}
	}
	return list
}

// since compares a proof with its past. Steps are compared only if sameTool: both results are of one build.
func (p *Past) since(was *Past, sameTool bool) (list []Change) {
	add := func(worse bool, format string, args ...any) {
		list = append(list, Change{Text: fmt.Sprintf(format, args...), Worse: worse})
	}
	if p.Verdict != was.Verdict {
		add(p.Verdict.Rank() > was.Verdict.Rank(), "is %s, was %s", p.Verdict, was.Verdict)
	}
	// A worse verdict already implies that fewer findings are proved.
	if p.Verdict.Rank() <= was.Verdict.Rank() {
		var fewer []string
		n, m := 0, 0
		for _, kind := range found.Kinds() {
			n, m = n+p.Proved[kind], m+was.Proved[kind]
			if k := was.Proved[kind] - p.Proved[kind]; k > 0 {
				fewer = append(fewer, fmt.Sprintf("%d %s", k, kind))
			}
		}
		if n < m {
			add(true, "%s fewer than before (%d, were %d): %s", phrase.Count(m-n, "proved obligation"), n, m,
				strings.Join(fewer, ", "))
		} else if len(fewer) > 0 {
			add(true, "proved before and not now: %s", strings.Join(fewer, ", "))
		}
	}
	for _, text := range added(was.Assumes, p.Assumes) {
		add(true, "an assumption was added: %s", phrase.Quote(text))
	}
	for _, text := range added(was.Unchecked, p.Unchecked) {
		add(true, "no longer checked: %s", text)
	}
	if was.Steps > 0 && sameTool && p.Steps > fewSteps && p.Steps/was.Steps >= slower {
		add(false, "%.1f times the work of the earlier run", float64(p.Steps)/float64(was.Steps))
	}
	return list
}

// added returns the elements that the sorted list now has more often than before.
func added(before, now []string) (list []string) {
	unmatched := slices.Clone(before)
	for _, text := range now {
		if k := slices.Index(unmatched, text); k >= 0 {
			unmatched = slices.Delete(unmatched, k, k+1)
		} else {
			list = append(list, text)
		}
	}
	return list
}

// WriteChanges writes the changes and reports whether one of them is for the worse.
func WriteChanges(w io.Writer, list []Change, baseline string) (worse bool) {
	n := 0
	for _, c := range list {
		mark := "  "
		if c.Worse {
			n++
			mark = "! "
		}
		_, _ = fmt.Fprintf(w, "%s%s: %s\n", mark, phrase.Name(c.Proof), phrase.Printable(c.Text))
	}
	switch {
	case len(list) == 0:
		_, _ = fmt.Fprintf(w, "no change since %s\n", baseline)
	case n == 0:
		_, _ = fmt.Fprintf(w, "nothing got worse since %s\n", baseline)
	default:
		_, _ = fmt.Fprintf(w, "%s for the worse since %s\n", phrase.Count(n, "change"), baseline)
	}
	return n > 0
}
