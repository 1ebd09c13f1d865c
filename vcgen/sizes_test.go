package vcgen

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// TestSizes checks the combination of rounds for one finding; each round decides one size of the input.
func TestSizes(t *testing.T) {
	late := found.Reason{Why: found.TimeLimit}
	// Results of a round: the finding holds, is not reached, fails, is undecided for lack of time or for another reason,
	// holds as far as a loop was unrolled, or has no instance; hidden: it has none, and a loop was cut.
	const holds, away, fails, open, strange, cut, none, hidden = 'h', 'a', 'f', 'o', 's', 'c', '-', 'x'
	for _, c := range []struct {
		rounds  string // of size 0, 1, ...; the greatest size is 3
		want    found.Verdict
		bound   int
		why     found.Why
		settled bool
	}{
		{"h", found.Bounded, 0, found.HoldsInBounds, false},
		{"hhh", found.Bounded, 2, found.HoldsInBounds, false},
		{"aah", found.Bounded, 2, found.HoldsInBounds, false},
		{"haa", found.Bounded, 2, found.HoldsInBounds, false},
		{"aaa", found.Bounded, 2, found.BeyondBounds, false},
		{"h--", found.Bounded, 2, found.HoldsInBounds, false},
		{"--h", found.Bounded, 2, found.HoldsInBounds, false},
		{"hhhh", found.Proved, 0, "", true},
		{"haaa", found.Proved, 0, "", true},
		{"h---", found.Proved, 0, "", true},
		{"---h", found.Proved, 0, "", true},
		{"aaaa", found.Unreached, 0, "", true},
		{"hhof", found.Failed, 0, "", true},
		{"hfhh", found.Failed, 0, "", true},
		{"hohh", found.Bounded, 0, found.HoldsInBounds, false},
		{"hhho", found.Bounded, 2, found.HoldsInBounds, false},
		{"hchh", found.Bounded, 0, found.HoldsInBounds, false},
		{"achh", found.Bounded, 64, found.HoldsInBounds, false},
		{"hsh", found.Unknown, 0, found.NotSupported, false},
		{"oh", found.Unknown, 0, found.TimeLimit, false},
		{"aoh", found.Unknown, 0, found.TimeLimit, false},
		{"hxh", found.Bounded, 0, found.HoldsInBounds, false},
		{"hhhx", found.Bounded, 2, found.HoldsInBounds, false},
		{"axxx", found.Bounded, 0, found.BeyondBounds, false},
		{"xh", found.Bounded, 64, found.BeyondBounds, false},
		{"xhhh", found.Bounded, 64, found.BeyondBounds, false},
		{"xxxh", found.Bounded, 64, found.BeyondBounds, false},
		{"xf", found.Failed, 0, "", false},
	} {
		t.Run(c.rounds, func(t *testing.T) {
			d := &deepening{sizes: &sizes{max: 3}}
			for size, says := range c.rounds {
				in := Instance{Kind: found.Assertion, Pos: found.Pos{File: "p.c", Line: 7}}
				last := size == d.sizes.max
				bounded := func(loop string, n int, why found.Why) {
					in.Verdict, in.Loop, in.Bound = found.Bounded, loop, n
					in.Reason = found.Reason{Why: why, Name: loop, N: int64(n)}
				}
				switch {
				case says == holds && last:
					in.Verdict = found.Proved
				case says == holds:
					bounded(language.InputSize, size, found.HoldsInBounds)
				case says == away && last:
					in.Verdict = found.Unreached
				case says == away:
					bounded(language.InputSize, size, found.BeyondBounds)
				case says == fails:
					in.Verdict = found.Failed
				case says == open:
					in.Verdict, in.Reason = found.Unknown, late
				case says == strange:
					in.Verdict, in.Reason = found.Unknown, found.Reason{Why: found.NotSupported}
				case says == cut:
					bounded("f#1", 64, found.HoldsInBounds)
				}
				r := &Report{EndReached: true, finished: true}
				if says == hidden {
					r.Instances = append(r.Instances, Instance{Kind: found.Unwinding, Pos: found.Pos{Line: 2},
						Verdict: found.Bounded, Loop: "f#1", Bound: 64})
				} else if says != none {
					r.Instances = append(r.Instances, in)
				}
				if !last {
					r.Instances = append(r.Instances, Instance{Kind: found.Unwinding, Pos: found.Pos{Line: 1},
						Verdict: found.Bounded, Loop: language.InputSize, Bound: size})
				}
				d.decideSize(r)
			}
			var got Instance
			sizes := []int{}
			for _, in := range d.sizes.decided.Instances {
				if in.Kind == found.Unwinding && in.Loop == language.InputSize {
					sizes = append(sizes, in.Bound)
				} else if in.Kind != found.Unwinding {
					got = in
				}
			}
			if got.Verdict != c.want || got.Bound != c.bound || got.Reason.Why != c.why {
				t.Errorf("%s, %d, %q", got.Verdict, got.Bound, got.Reason.Why)
			}
			if n := len(c.rounds) - 1; n < 3 && (len(sizes) != 1 || sizes[0] != n) || n == 3 && len(sizes) > 0 {
				t.Errorf("longer inputs than %v are reported as left out", sizes)
			}
			if (d.settled != nil) != c.settled {
				t.Errorf("settled: %v", d.settled != nil)
			}
		})
	}
}
