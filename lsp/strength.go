package lsp

import (
	"context"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// strengthSource distinguishes surviving mutants from findings.
const strengthSource = "unitproof strength"

// shownStrength is the measured strength of a proof; immutable.
type shownStrength struct {
	result  *diagnostics.Proof // the result that was measured; another result invalidates it
	mutants []diagnostics.Mutant
	score   string // set after all mutants were tried
}

// strengthResult is the strength of a proof as sent to clients.
type strengthResult struct {
	Proof    string        `json:"proof"`
	Verdict  found.Verdict `json:"verdict"`
	Summary  string        `json:"summary"`
	Score    float64       `json:"score"`
	Killed   int           `json:"killed"`
	Survived int           `json:"survived"`
}

type strengthResults struct {
	Proofs []strengthResult `json:"proofs"`
}

// strength mutates the code under the proofs, and shows the mutants that no proof kills. Cancelling the request ends
// it; the results so far stay.
func (v *view) strength(ctx context.Context, args *proofArgs) (any, error) {
	if _, err := v.verify(ctx, &proofArgs{Proofs: args.Proofs, URI: args.URI}); err != nil {
		return nil, err
	}
	v = v.server.view()
	proofs, err := v.selected(args)
	if err != nil {
		return nil, err
	}
	list := []strengthResult{}
	for _, p := range proofs {
		one, err := v.strengthOf(ctx, p)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	v.server.flush()
	return strengthResults{list}, nil
}

func (v *view) strengthOf(ctx context.Context, p *editing.ProofState) (strengthResult, error) {
	out := strengthResult{Proof: string(p.ID)}
	switch {
	case !p.Trusted:
		out.Summary = "not measured: the workspace is not trusted"
		return out, nil
	case p.Result == nil || !v.fresh(p) || p.Result.Verdict != found.Proved:
		out.Summary = "not measured: " + v.proofTitle(p)
		if p.Result != nil {
			out.Verdict = p.Result.Verdict
		}
		return out, nil
	}
	request := pipeline.StrengthRequest{Settings: pipeline.Settings{Root: p.Root, Solver: v.settings.Solver,
		CacheDir: v.cacheDir()}, Proof: p.Proof, Virtual: map[string][]byte{}, Max: maxMutants}
	for _, d := range v.docs {
		request.Virtual[d.path] = d.text.data
	}
	if w, _ := project.Open(string(p.Root), project.Flags{}); w != nil { // configuration errors are shown elsewhere
		request.Define = w.Definitions
	}
	var mutants []diagnostics.Mutant
	v.server.showStrength(p, nil, "")
	request.Tell = func(m diagnostics.Mutant) {
		mutants = append(mutants, m)
		v.server.showStrength(p, slices.Clip(mutants), "")
	}
	s, err := v.engine.pool.Strength(ctx, request)
	if err != nil {
		return out, err
	}
	if s.Verdict == found.Proved {
		score := ""
		if s.Killed+s.Survived > 0 {
			score = fmt.Sprintf("%.0f %%", s.Score)
		}
		v.server.showStrength(p, s.Mutants, score)
	}
	out.Verdict, out.Summary, out.Score, out.Killed, out.Survived = s.Verdict, s.Summary(), s.Score, s.Killed, s.Survived
	return out, nil
}

// maxMutants is the number of mutants that are tried for a proof, evenly sampled.
const maxMutants = 100

// showStrength publishes the outcomes of mutants.
func (s *server) showStrength(p *editing.ProofState, mutants []diagnostics.Mutant, score string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := make(map[editing.ProofID]shownStrength, len(s.strengths)+1)
	for id, x := range s.strengths {
		now[id] = x
	}
	now[p.ID] = shownStrength{p.Result, mutants, score}
	s.strengths = now
	s.wake()
}

// mutants returns the tried mutants of a fresh proof; nil if its strength was not measured.
func (v *view) mutants(p *editing.ProofState) []diagnostics.Mutant {
	if s, ok := v.strengths[p.ID]; ok && s.result == p.Result && v.fresh(p) {
		return s.mutants
	}
	return nil
}

// score returns the strength of a fresh proof; "" if it was not measured.
func (v *view) score(p *editing.ProofState) string {
	if s, ok := v.strengths[p.ID]; ok && s.result == p.Result && v.fresh(p) {
		return s.score
	}
	return ""
}

// survivorItems returns the mutants of a proof that neither it nor any other measured proof kills.
func (v *view) survivorItems(p *editing.ProofState) []item {
	var items []item
	mutants := v.mutants(p)
	for i := range mutants {
		m := &mutants[i]
		if m.Outcome != diagnostics.Survived || m.Accepted || v.noticedElsewhere(p, m) {
			continue
		}
		at, ok := v.find(p, point{file: m.File, line: m.Line, column: m.Column, part: csource.Operation})
		if !ok {
			continue
		}
		items = append(items, item{at: at, kind: "survivor", source: strengthSource, proof: p,
			severity: protocol.DiagnosticSeverityInformation, message: m.Sentence()})
	}
	return items
}

// noticedElsewhere reports whether another proof kills a mutant.
func (v *view) noticedElsewhere(p *editing.ProofState, m *diagnostics.Mutant) bool {
	for _, o := range v.proofs() {
		if o == p {
			continue
		}
		for _, x := range v.mutants(o) {
			if x.Outcome == diagnostics.Killed && x.File == m.File && x.Line == m.Line && x.Column == m.Column &&
				x.Kind == m.Kind && x.From == m.From && x.To == m.To {
				return true
			}
		}
	}
	return false
}
