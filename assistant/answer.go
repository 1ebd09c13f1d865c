package assistant

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/vcgen/found"
)

// maxAnswer bounds the JSON of an answer, in bytes.
const maxAnswer = 4096

// fit makes an answer small enough: while its JSON is too large, the first of some functions that still has something
// to leave out does so, and returns true.
func fit(answer any, leaveOut ...func() bool) {
	for size(answer) > maxAnswer {
		if !slices.ContainsFunc(leaveOut, func(f func() bool) bool { return f() }) {
			return
		}
	}
}

func size(answer any) int {
	data, err := json.Marshal(answer)
	if err != nil {
		return 0
	}
	return len(data)
}

// shorten returns a function that drops the last element of a list and adds one to a counter.
func shorten[T any](list *[]T, dropped *int) func() bool {
	return func() bool {
		if len(*list) == 0 {
			return false
		}
		*list = (*list)[:len(*list)-1]
		*dropped++
		return true
	}
}

// cut returns a function that halves a text, down to some bytes.
func cut(text *string, least int) func() bool {
	return func() bool {
		if len(*text) <= least {
			return false
		}
		*text = clip(*text, max(len(*text)/2, least))
		return true
	}
}

// clip cuts a text at some bytes, at the begin of a character.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cutAt := max(most-len("…"), 0)
	for cutAt > 0 && !utf8.RuneStart(text[cutAt]) {
		cutAt--
	}
	return text[:cutAt] + "…"
}

// Brief is a finding in a line.
type Brief struct {
	ID      string        `json:"id,omitempty" jsonschema:"for the tools finding and replay; none for an error of the compiler"`
	Proof   string        `json:"proof"`
	Kind    string        `json:"kind" jsonschema:"a word for the tool explain; error for an error of the compiler"`
	CWE     []string      `json:"cwe,omitempty"`
	Verdict found.Verdict `json:"verdict"`
	At      string        `json:"at" jsonschema:"file:line:column"`
	Message string        `json:"message"`
	Reason  string        `json:"reason,omitempty" jsonschema:"of unknown and bounded ones"`
}

// briefOf is a finding in a line, with texts of limited size.
func briefOf(p *diagnostics.Proof, f *diagnostics.Finding) Brief {
	return Brief{ID: f.ID, Proof: p.Name, Kind: string(f.Kind), CWE: f.CWE, Verdict: f.Verdict,
		At: place(f.File, f.Line, f.Column), Message: clip(f.Message, 300), Reason: clip(f.Reason, 200)}
}

func place(file string, line, column int) string {
	file = clip(file, 200)
	switch {
	case line <= 0:
		return file
	case column <= 0:
		return fmt.Sprintf("%s:%d", file, line)
	}
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

// open reports whether the user has to act on a finding: it is neither proved nor accepted.
func open(f *diagnostics.Finding) bool { return f.Reported() && !f.Accepted }

// rank orders findings by their use: failures, assertions that are never reached, findings that are unknown,
// cut loops, then the rest.
func rank(f *diagnostics.Finding) int {
	switch {
	case !open(f):
		return 9
	case f.Verdict == found.Failed:
		return 0
	case f.Verdict == found.Vacuous:
		return 1
	case f.Verdict == found.Unknown:
		return 2
	case f.Kind == found.Unwinding:
		return 3
	}
	return 4
}

// useful returns the open findings of a result, the most useful one first, then by place.
func useful(p *diagnostics.Proof) (list []*diagnostics.Finding) {
	for i := range p.Obligations {
		if f := &p.Obligations[i]; open(f) {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b *diagnostics.Finding) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// first is the one finding of some results that helps most; nil: there is none.
func first(states []*editing.ProofState) *Brief {
	var best *Brief
	bestRank := 9
	for _, s := range states {
		p := s.Result
		if p == nil {
			continue
		}
		if p.Verdict == found.Error && bestRank > -1 {
			bestRank = -1
			b := Brief{Proof: p.Name, Kind: "error", Verdict: found.Error, At: clip(p.File, 200), Message: clip(p.Reason, 500)}
			if len(p.Errors) > 0 {
				e := p.Errors[0]
				b.At, b.Message = place(e.File, e.Line, e.Column), clip(e.Message, 500)
			}
			best = &b
		}
		for _, f := range useful(p) {
			if r := rank(f); r < bestRank {
				b := briefOf(p, f)
				best, bestRank = &b, r
			}
		}
	}
	return best
}

// ProofAnswer describes one proof of an answer.
type ProofAnswer struct {
	Name    string        `json:"name"`
	Verdict found.Verdict `json:"verdict"`
	// NotDone is there for every verdict, so that a proved is never taken for more than it is.
	NotDone  []diagnostics.NotDone `json:"not_done" jsonschema:"codes of what was not checked or was assumed; empty for a plain proved"`
	Reason   string                `json:"reason,omitempty"`
	Findings int                   `json:"findings,omitempty" jsonschema:"how many findings are open"`
	IDs      []string              `json:"ids,omitempty" jsonschema:"of open findings, the most useful first"`
	Checked  int                   `json:"checked" jsonschema:"how many findings there are in all, proved ones included"`
	Stale    bool                  `json:"stale,omitempty" jsonschema:"the files changed while they were checked"`
}

// maxIDs is how many ids of findings an answer lists of a proof.
const maxIDs = 5

func proofAnswer(s *editing.ProofState) ProofAnswer {
	p := s.Result
	if p == nil {
		return ProofAnswer{Name: s.Proof.Name, Verdict: found.Unknown, NotDone: []diagnostics.NotDone{diagnostics.NotDecided},
			Reason: clip(cmp.Or(s.Reason, "it was not checked"), 200)}
	}
	out := ProofAnswer{Name: p.Name, Verdict: p.Verdict, NotDone: p.NotDone, Reason: clip(p.Reason, 200),
		Checked: len(p.Obligations), Stale: !s.Fresh}
	if out.NotDone == nil {
		out.NotDone = []diagnostics.NotDone{}
	}
	for _, f := range useful(p) {
		if out.Findings++; len(out.IDs) < maxIDs {
			out.IDs = append(out.IDs, f.ID)
		}
	}
	return out
}

// CheckAnswer is the result of a check.
type CheckAnswer struct {
	Verdict found.Verdict `json:"verdict" jsonschema:"the worst of all proofs: error, failed, unknown, bounded, vacuous, proved"`
	Finding *Brief        `json:"finding,omitempty" jsonschema:"the one finding to look at first"`
	// Changes are there for edits.
	Changes  *Changes      `json:"changes,omitempty" jsonschema:"the difference to the last result of the same proofs"`
	Proofs   []ProofAnswer `json:"proofs" jsonschema:"those that are not proved first"`
	More     int           `json:"more,omitempty" jsonschema:"proofs that are left out here; name them to see them"`
	Proved   int           `json:"proved" jsonschema:"how many of the proofs are proved with nothing left undone"`
	Total    int           `json:"total"`
	Problems []string      `json:"problems,omitempty" jsonschema:"of configurations"`
}

// checkAnswer puts an answer together.
func checkAnswer(root paths.Root, o *outcome, compare bool) CheckAnswer {
	states := slices.Clone(o.states)
	slices.SortStableFunc(states, func(a, b *editing.ProofState) int {
		return cmp.Compare(verdictOf(b).Rank(), verdictOf(a).Rank())
	})
	out := CheckAnswer{Verdict: found.Unreached, Proofs: []ProofAnswer{}, Total: len(states), Finding: first(states),
		Problems: o.problems}
	for _, s := range states {
		p := proofAnswer(s)
		out.Verdict = found.Worst(out.Verdict, p.Verdict)
		if p.Verdict == found.Proved && len(p.NotDone) == 0 {
			out.Proved++
		}
		out.Proofs = append(out.Proofs, p)
	}
	if len(states) == 0 {
		out.Verdict = found.Unknown
	}
	var remaining int
	leave := []func() bool{shorten(&out.Problems, &remaining)}
	if compare {
		out.Changes = changesOf(o)
		leave = append(leave, out.Changes.leaveOut()...)
	}
	ids := func() bool {
		for i := len(out.Proofs) - 1; i >= 0; i-- {
			if len(out.Proofs[i].IDs) > 1 {
				out.Proofs[i].IDs = out.Proofs[i].IDs[:1]
				return true
			}
		}
		return false
	}
	fit(&out, append(leave, ids, shorten(&out.Proofs, &out.More))...)
	return out
}

func verdictOf(s *editing.ProofState) found.Verdict {
	if s.Result == nil {
		return found.Unknown
	}
	return s.Result.Verdict
}
