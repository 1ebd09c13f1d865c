package diagnostics

import (
	"bytes"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

func TestCosts(t *testing.T) {
	p := Proof{Name: "p", Verdict: found.Proved, Stats: Stats{CompileMS: 100, VCGenMS: 200, SolveMS: 1700, TotalMS: 2000},
		Obligations: []Finding{
			{Kind: found.ArrayBounds, Verdict: found.Proved, File: "f.c", Line: 3, Function: "f", Share: 0.05},
			{Kind: found.Assertion, Verdict: found.Proved, File: "p.c", Line: 9, Function: "main", Share: 0.6,
				Condition: "memcmp(a, b, n) == 0"},
			{Kind: found.ArrayBounds, Verdict: found.Proved, File: "f.c", Line: 4, Function: "f", Share: 0.001},
		}}
	loop := found.Pos{File: "f.c", Line: 2}
	p.Engine = &vcgen.Stats{Executions: 50e6, Unrolled: []vcgen.Unrolling{
		{Function: "f", Loop: "f#1", At: loop, Nanoseconds: 100e6, Questions: 60e6},
		{Function: "main", Nanoseconds: 20e6}, {Function: "g", Loop: "f#1", At: loop, Nanoseconds: 10e6}}}
	text := func(p *Proof) string {
		var b bytes.Buffer
		NewTextWriter(&b, TextOptions{Quiet: true, ExplainCost: true}).Proof(p)
		return b.String()
	}
	want := `         of 2 000 ms: compiling 5 %, executions with random inputs 2 %, unrolling 8 %, solving 85 %
          60 %  assertion at p.c:9
           5 %  array-bounds at f.c:3
           6 %  unrolling f#1 at f.c:2, 3 % of it deciding whether the loop continues
          61 %  in main
          10 %  in f
          17 %  queries about the whole proof: reachability, vacuity, invariants
       = help: one arbitrary index in place of memcmp at p.c:9 proves as much: size_t i = nd_size_t(); assume(i < n); sassert(a[i] == b[i]);
`
	if got := strings.ReplaceAll(text(&p), " ", " "); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.Stats = Stats{TotalMS: 3}
	if got := text(&p); !strings.Contains(got, "--no-cache") {
		t.Errorf("of a proof that was cached: %s", got)
	}
}
