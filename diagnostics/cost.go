package diagnostics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
)

// What is told of costs: the findings and functions that took most, as long as they took something worth a line.
const (
	costLines  = 8
	leastShare = 0.01
)

// costs tells where the time of a proof went: by stage, by finding and by function, and what is known to help.
func (t *TextWriter) costs(p *Proof) {
	s := &p.Stats
	if s.TotalMS == 0 || s.VCGenMS+s.SolveMS == 0 {
		t.printf("         nothing was asked in this run: --no-cache has all of it done again\n")
		return
	}
	part := func(ms int64) string { return percent(float64(ms) / float64(s.TotalMS)) }
	t.printf("         of %s ms: compiling %s, unrolling %s, solving %s\n", thousands(s.TotalMS),
		strings.TrimSpace(part(s.CompileMS)),
		strings.TrimSpace(part(s.VCGenMS)), strings.TrimSpace(part(s.SolveMS)))
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
		t.printf("         %s  %s at %s:%d\n", percent(f.Share), f.Kind, printable(f.File), f.Line)
	}
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
		t.printf("         %s  in %s\n", percent(functions[name]), printable(name))
	}
	if rest := float64(s.SolveMS)/float64(s.TotalMS) - named; rest >= leastShare {
		t.printf("         %s  questions about all together: loops, reachability, vacuity\n", percent(rest))
	}
	for _, advice := range adviceOn(p, findings) {
		t.note("help: " + advice)
	}
}

func percent(share float64) string { return fmt.Sprintf("%3.0f %%", 100*share) }

// adviceOn says what is known to make such a proof cheaper (docs/scaling-your-proofs.md).
func adviceOn(p *Proof, costly []*Finding) []string {
	var out []string
	if len(costly) > 0 && costly[0].Share >= 0.25 {
		f := costly[0]
		if f.Kind == found.Assertion && strings.Contains(f.Condition+f.Message, "memcmp") {
			out = append(out, fmt.Sprintf("one arbitrary index in place of memcmp at %s:%d proves as much: "+
				"size_t i = nd_size_t(); assume(i < n); sassert(a[i] == b[i]);", printable(f.File), f.Line))
		} else if f.Kind == found.Assertion {
			out = append(out, fmt.Sprintf("the assertion at %s:%d in a proof of its own is decided beside the others (-j)",
				printable(f.File), f.Line))
		}
	}
	if s := &p.Stats; s.TotalMS > 1000 && s.VCGenMS > s.SolveMS && 2*s.VCGenMS > s.TotalMS {
		out = append(out, "unrolling takes most: a smaller constant (-DN=4), a bound of the loop that goes deepest "+
			"(--unwind f#1=4), "+
			"or a contract for the function that has it")
	}
	return out
}
