package assistant

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/vcgen/found"
)

// ProofsInput selects proofs to list.
type ProofsInput struct {
	Match string `json:"match,omitempty" jsonschema:"a part of the name or the file of the proofs to list"`
	From  int    `json:"from,omitempty" jsonschema:"leave out so many of the list, as the field next of an answer says"`
}

// ListedProof is a proof of the list.
type ListedProof struct {
	Name    string                `json:"name"`
	File    string                `json:"file"`
	Verdict string                `json:"verdict" jsonschema:"of the last check; not-checked if there is none"`
	Stale   bool                  `json:"stale,omitempty" jsonschema:"what the verdict rests on has changed"`
	Running bool                  `json:"running,omitempty"`
	NotDone []diagnostics.NotDone `json:"not_done,omitempty"`
}

// ProofsAnswer lists proofs.
type ProofsAnswer struct {
	Root     string         `json:"root"`
	Total    int            `json:"total"`
	Counts   map[string]int `json:"counts" jsonschema:"how many proofs have which verdict; stale ones count as stale"`
	Proofs   []ListedProof  `json:"proofs"`
	Next     int            `json:"next,omitempty" jsonschema:"from of the next call; there are more proofs"`
	Trust    string         `json:"trust,omitempty" jsonschema:"what the user has to allow before anything is checked"`
	Problems []string       `json:"problems,omitempty"`
}

// notChecked stands for the verdict of a proof without a result.
const notChecked = "not-checked"

func (s *Server) proofs(ctx context.Context, _ *mcp.CallToolRequest, in ProofsInput) (ProofsAnswer, error) {
	now, err := s.look(ctx, s.base)
	if err != nil {
		return ProofsAnswer{}, err
	}
	out := ProofsAnswer{Root: clip(string(s.root), 300), Counts: map[string]int{}, Proofs: []ListedProof{},
		Problems: problemsOf(now, s.root)}
	for _, p := range now.Proofs() {
		file := s.root.Show(p.Proof.File)
		if !strings.Contains(p.Proof.Name, in.Match) && !strings.Contains(file, in.Match) {
			continue
		}
		out.Total++
		x := ListedProof{Name: p.Proof.Name, File: file, Verdict: notChecked, Running: p.Phase != editing.Idle}
		switch {
		case p.Result == nil:
			out.Counts[notChecked]++
		case !p.Fresh:
			x.Verdict, x.Stale = string(p.Result.Verdict), true
			out.Counts["stale"]++
		default:
			x.Verdict, x.NotDone = string(p.Result.Verdict), p.Result.NotDone
			out.Counts[x.Verdict]++
		}
		if !p.Trusted && out.Trust == "" {
			out.Trust = untrusted(now, s.root).Error()
		}
		if out.Total > max(in.From, 0) {
			out.Proofs = append(out.Proofs, x)
		}
	}
	all, dropped := len(out.Proofs), 0
	out.Next = max(in.From, 0) + all // as wide as it gets
	if all > 100 {
		out.Proofs, dropped = out.Proofs[:100], all-100
	}
	fit(&out, shorten(&out.Problems, new(int)), shorten(&out.Proofs, &dropped))
	if out.Next -= dropped; dropped == 0 {
		out.Next = 0
	}
	return out, nil
}

// CheckInput selects the proofs to check.
type CheckInput struct {
	Names []string `json:"names,omitempty" jsonschema:"names or files of proofs; without any all proofs of the project"`
	Steps int      `json:"steps,omitempty" jsonschema:"the budget: steps that the solver may take for one question; the same steps give the same answer. Without it the project's"`
}

func (s *Server) checkTool(ctx context.Context, call *mcp.CallToolRequest, in CheckInput) (CheckAnswer, error) {
	if in.Steps < 0 {
		return CheckAnswer{}, errors.New("steps: must be above 0")
	}
	o, err := s.check(ctx, request{names: in.Names, budget: budget{steps: in.Steps}, tell: progress(ctx, call)})
	if err != nil {
		return CheckAnswer{}, err
	}
	if len(o.states) == 0 && len(o.problems) == 0 {
		return CheckAnswer{}, errNoProofs
	}
	return checkAnswer(s.root, o, false), nil
}

// TryInput has edits, and selects the proofs to check with them.
type TryInput struct {
	Edits []Edit   `json:"edits" jsonschema:"changes of files, applied in their order to the files on disk, for this call only"`
	Names []string `json:"names,omitempty" jsonschema:"names or files of proofs; without any those that the edits concern"`
	Steps int      `json:"steps,omitempty" jsonschema:"the budget: steps that the solver may take for one question"`
}

func (s *Server) try(ctx context.Context, call *mcp.CallToolRequest, in TryInput) (CheckAnswer, error) {
	if in.Steps < 0 {
		return CheckAnswer{}, errors.New("steps: must be above 0")
	}
	if len(in.Edits) == 0 {
		return CheckAnswer{}, errors.New("no edits were given: check does without")
	}
	edits, err := lay(s.root, s.unsaved(), in.Edits)
	if err != nil {
		return CheckAnswer{}, err
	}
	o, err := s.check(ctx, request{names: in.Names, edits: edits, budget: budget{steps: in.Steps},
		tell: progress(ctx, call)})
	if err != nil {
		return CheckAnswer{}, err
	}
	if len(o.states) == 0 {
		return CheckAnswer{}, errors.New("with these edits the project has no proof; that is a C file that includes " +
			"unitproof.h and defines main, proof_NAME, NAME_proof or NAME_harness")
	}
	return checkAnswer(s.root, o, true), nil
}

// WhyInput names a proof.
type WhyInput struct {
	Proof string `json:"proof" jsonschema:"the name of a proof"`
}

// WhyAnswer has the assumptions that a proof rests on.
type WhyAnswer struct {
	Proof       string                `json:"proof"`
	Verdict     found.Verdict         `json:"verdict"`
	NotDone     []diagnostics.NotDone `json:"not_done"`
	Needed      []string              `json:"needed" jsonschema:"assumptions that suffice for all that is proved"`
	Minimal     bool                  `json:"minimal" jsonschema:"without any one of needed something fails"`
	NotNeeded   []string              `json:"not_needed,omitempty" jsonschema:"assumptions that can all be left out together"`
	Independent []string              `json:"independent,omitempty" jsonschema:"assertions that depend on no input, or are true as they are written: they check nothing"`
	NeverTaken  []string              `json:"never_taken,omitempty" jsonschema:"ways of branches that no execution takes under this proof"`
	Vacuous     []string              `json:"vacuous,omitempty" jsonschema:"assertions that are never reached, and what contradicts"`
	More        int                   `json:"more,omitempty" jsonschema:"entries that are left out"`
}

func (s *Server) why(ctx context.Context, call *mcp.CallToolRequest, in WhyInput) (WhyAnswer, error) {
	r := request{names: []string{in.Proof}, explain: true, tell: progress(ctx, call)}
	if x := s.edited(in.Proof); x != nil {
		r.names, r.edits, r.budget = []string{string(x.state.ID)}, x.edits, x.budget
	}
	o, err := s.check(ctx, r)
	if err != nil {
		return WhyAnswer{}, err
	}
	if len(o.states) != 1 || o.states[0].Result == nil {
		return WhyAnswer{}, errors.New("name one proof")
	}
	p := o.states[0].Result
	out := WhyAnswer{Proof: p.Name, Verdict: p.Verdict, NotDone: p.NotDone, Needed: []string{}}
	entry := func(c *diagnostics.CoreEntry) string {
		return clip(c.Text, 120) + " (" + place(c.File, c.Line, 0) + ")"
	}
	if p.Core != nil {
		out.Minimal = p.Core.Minimal
		for i := range p.Core.Needed {
			out.Needed = append(out.Needed, entry(&p.Core.Needed[i]))
		}
		for i := range p.Core.NotNeeded {
			out.NotNeeded = append(out.NotNeeded, entry(&p.Core.NotNeeded[i]))
		}
	}
	for i := range p.Obligations {
		f := &p.Obligations[i]
		if f.Verdict == found.Vacuous {
			out.Vacuous = append(out.Vacuous, clip(f.Message, 300))
		}
		if text := f.Dependence(); f.Independent != "" || f.InputsUsed != nil && len(*f.InputsUsed) == 0 {
			out.Independent = append(out.Independent, place(f.File, f.Line, 0)+": "+clip(text, 150))
		}
	}
	for _, b := range p.Branches {
		for _, w := range b.Ways {
			if b.Entered && w.Taken == found.NeverTaken {
				out.NeverTaken = append(out.NeverTaken, place(b.File, b.Line, 0)+": "+
					clip(cmp.Or(b.Text, "a condition in a macro"), 80)+" is never "+w.Way)
			}
		}
	}
	fit(&out, shorten(&out.NeverTaken, &out.More), shorten(&out.NotNeeded, &out.More), shorten(&out.Needed, &out.More),
		shorten(&out.Independent, &out.More), shorten(&out.Vacuous, &out.More))
	return out, nil
}

// edited is the last result of a proof that a tool answered with; nil: there is none.
func (s *Server) edited(name string) *seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.last {
		if x.state.Proof.Name == name || string(x.state.ID) == name {
			return x
		}
	}
	return nil
}
