package diagnostics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Limits of the list of costs: the number of findings and functions, and the smallest share that is worth a line.
const (
	costLines  = 8
	leastShare = 0.01
)

// costs writes the distribution of a proof's time over stages, findings, loops and functions, and advice on reducing
// it.
func (t *TextWriter) costs(p *Proof) {
	s := &p.Stats
	if s.CacheHits == 0 && len(p.Obligations) == 0 && s.VCGenMS+s.SolveMS == 0 {
		t.printf("         the proof ended before its stages were measured\n")
		return
	}
	if s.TotalMS == 0 || s.VCGenMS+s.SolveMS == 0 {
		t.printf("         all answers came from the cache; --no-cache repeats the work\n")
		return
	}
	part := func(ms int64) string { return strings.TrimSpace(percent(float64(ms) / float64(s.TotalMS))) }
	executing := executingMS(p)
	stages := "compiling " + part(s.CompileMS)
	if executing > 0 {
		stages += ", executions with random inputs " + part(executing)
	}
	t.printf("         of %s ms: %s, unrolling %s, solving %s\n", thousands(s.TotalMS), stages, part(s.VCGenMS-executing),
		part(s.SolveMS))
	var findings []*Finding
	functions := map[string]float64{}
	named := 0.0
	for i := range p.Obligations {
		f := &p.Obligations[i]
		named += f.Share
		functions[f.Function] += f.Share
		if f.Share >= leastShare {
			findings = append(findings, f)
		}
	}
	slices.SortStableFunc(findings, func(a, b *Finding) int { return cmp.Compare(b.Share, a.Share) })
	for _, f := range findings[:min(len(findings), costLines)] {
		t.printf("         %s  %s at %s:%d\n", percent(f.Share), f.Kind, phrase.Name(f.File), f.Line)
	}
	loops, asked := t.unrolled(p, functions)
	var names []string
	for name, share := range functions {
		if share >= leastShare {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(functions[b], functions[a]), cmp.Compare(a, b))
	})
	for _, name := range names[:min(len(names), costLines)] {
		t.printf("         %s  in %s\n", percent(functions[name]), phrase.Name(name))
	}
	if rest := float64(s.SolveMS)/float64(s.TotalMS) - named - asked; rest >= leastShare {
		t.printf("         %s  queries about the whole proof: reachability, vacuity, invariants\n", percent(rest))
	}
	for _, advice := range adviceOn(p, findings, loops) {
		t.note("help: " + advice)
	}
}

// executingMS returns the part of Stats.VCGenMS that executions with random inputs took.
func executingMS(p *Proof) int64 {
	if p.Engine == nil {
		return 0
	}
	return min(p.Engine.Executions/1e6, p.Stats.VCGenMS)
}

// unrolled writes the loops whose unrolling took longest. It adds the time of each function to functions, and returns
// the loops and the share of the questions asked during unrolling.
func (t *TextWriter) unrolled(p *Proof, functions map[string]float64) (loops []vcgen.Unrolling, asked float64) {
	if p.Engine == nil || keptUnrolling(p) {
		return nil, 0
	}
	share := func(ns int64) float64 { return float64(ns) / 1e6 / float64(p.Stats.TotalMS) }
	by := map[string]int{}
	for _, u := range p.Engine.Unrolled {
		functions[u.Function] += share(u.Nanoseconds)
		asked += share(u.Questions)
		if u.Loop == "" {
			continue
		}
		i, ok := by[u.Loop]
		if !ok {
			i, by[u.Loop] = len(loops), len(loops)
			loops = append(loops, vcgen.Unrolling{Loop: u.Loop, At: u.At})
		}
		loops[i].Nanoseconds += u.Nanoseconds
		loops[i].Questions += u.Questions
	}
	slices.SortStableFunc(loops, func(a, b vcgen.Unrolling) int { return cmp.Compare(b.Nanoseconds, a.Nanoseconds) })
	loops = slices.DeleteFunc(loops, func(u vcgen.Unrolling) bool { return share(u.Nanoseconds) < leastShare })
	for _, u := range loops[:min(len(loops), costLines)] {
		at := ""
		if u.At.Line > 0 {
			at = fmt.Sprintf(" at %s:%d", phrase.Name(u.At.File), u.At.Line)
		}
		if q := share(u.Questions); q >= leastShare {
			at += ", " + strings.TrimSpace(percent(q)) + " of it deciding whether the loop continues"
		}
		t.printf("         %s  unrolling %s%s\n", percent(share(u.Nanoseconds)), phrase.Name(u.Loop), at)
	}
	return loops, asked
}

// keptUnrolling reports whether the times of loops come from an earlier run whose answers this run reused. Such times
// exceed the total of this run.
func keptUnrolling(p *Proof) bool {
	sum := int64(0)
	for _, u := range p.Engine.Unrolled {
		sum += u.Nanoseconds
	}
	return sum/1e6 > p.Stats.VCGenMS+p.Stats.SolveMS
}

func percent(share float64) string { return fmt.Sprintf("%3.0f %%", 100*share) }

// adviceOn returns advice that is known to make such a proof cheaper (docs/cheaper-proofs.md).
func adviceOn(p *Proof, costly []*Finding, loops []vcgen.Unrolling) []string {
	var out []string
	if len(costly) > 0 && costly[0].Share >= 0.25 {
		f := costly[0]
		names := csource.OuterNames([]byte(f.Condition))
		i := slices.IndexFunc(names, func(name string) bool { return language.Lookup(name).Compares })
		if f.Kind == found.Assertion && i >= 0 {
			out = append(out, fmt.Sprintf("one arbitrary index in place of %s at %s:%d proves as much: "+
				"size_t i = nd_size_t(); assume(i < n); sassert(a[i] == b[i]);", names[i], phrase.Name(f.File), f.Line))
		} else if f.Kind == found.Assertion {
			out = append(out, fmt.Sprintf("the assertion at %s:%d in a separate proof is checked in parallel (-j)",
				phrase.Name(f.File), f.Line))
		}
	}
	s := &p.Stats
	unrolling := s.VCGenMS - executingMS(p)
	if s.TotalMS > 1000 && unrolling > s.SolveMS && 2*unrolling > s.TotalMS {
		deepest := "f#1"
		if len(loops) > 0 {
			deepest = loops[0].Loop
		}
		out = append(out, fmt.Sprintf("unrolling takes most: a smaller constant (-DN=4), a bound of the loop that costs "+
			"most (--unwind '%s=4'), or a contract for the function that has it", phrase.Printable(deepest)))
	}
	return out
}
