package diagnostics

import (
	"bytes"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestDependents checks that findings that are unknown only because of an earlier check are counted there, and not
// listed.
func TestDependents(t *testing.T) {
	unknown := func(line int, why found.Reason) Finding {
		return Finding{Kind: "assertion", Verdict: found.Unknown, File: "a.c", Line: line, Why: why,
			Reason: phrase.Reason(why), Message: "m" + phrase.Reason(why)}
	}
	at := func(why found.Why, line int) found.Reason {
		return found.Reason{Why: why, At: found.Pos{File: "a.c", Line: line}}
	}
	p := Proof{Name: "a", Verdict: found.Unknown, Obligations: []Finding{
		unknown(3, found.Reason{Why: found.TimeLimit}),
		unknown(4, found.Reason{Why: found.DependsOnBody, Name: "f"}),
		unknown(4, at(found.DependsOnPlace, 4)), // the same line as its origin
		unknown(5, at(found.DependsOnPlace, 3)),
		unknown(6, at(found.DependsOnPlace, 3)),
		unknown(7, at(found.DependsOnPlace, 6)), // no origin: it is listed
		unknown(8, at(found.BehindViolation, 9)),
	}}
	counts, folded := Dependents(pointers(&p))
	if at := p.Obligations; len(folded) != 3 || counts[&at[0]] != 2 || counts[&at[1]] != 1 || len(counts) != 2 {
		t.Errorf("folded %d, counts %v", len(folded), counts)
	}
	show := func(opts TextOptions) string {
		var b bytes.Buffer
		NewTextWriter(&b, opts).Proof(&p)
		return b.String()
	}
	text := show(TextOptions{})
	for part, want := range map[string]int{
		"a.c:3: unknown": 1, "a.c:4: unknown": 1, "a.c:5: unknown": 0, "a.c:6: unknown": 0, "a.c:7: unknown": 1, "a.c:8": 0,
		"= 2 more findings hold if this does (-v)": 1, "= 1 more finding holds if this does (-v)": 1,
		"6 unknown, 1 behind a violation": 1,
	} {
		if n := strings.Count(text, part); n != want {
			t.Errorf("%d times %q, want %d, in\n%s", n, part, want, text)
		}
	}
	if text := show(TextOptions{Verbose: true}); strings.Count(text, ": unknown") != 7 ||
		strings.Contains(text, "more finding") {
		t.Errorf("-v folds:\n%s", text)
	}
}

func pointers(p *Proof) []*Finding {
	var list []*Finding
	for i := range p.Obligations {
		list = append(list, &p.Obligations[i])
	}
	return list
}

// TestDependentsOfOthers checks the dependents of a violation and of a cut loop; assertions within a bound are
// listed.
func TestDependentsOfOthers(t *testing.T) {
	at := func(line int, kind found.Kind, verdict found.Verdict, on int, loop string) Finding {
		var why found.Reason
		if on > 0 {
			why = found.Reason{Why: found.DependsOnPlace, At: found.Pos{File: "a.c", Line: on}}
		}
		return Finding{Kind: kind, Verdict: verdict, File: "a.c", Line: line, Why: why,
			Reason: phrase.Reason(why), Loop: loop, Message: "m"}
	}
	p := Proof{Name: "a", Verdict: found.Failed, Obligations: []Finding{
		at(3, "signed-overflow", found.Failed, 0, ""),
		at(3, "division-by-zero", found.Unknown, 3, ""),
		at(4, "out-of-bounds-read", found.Unknown, 3, ""),
		at(5, "unwinding", found.Bounded, 0, "f#1"),
		at(6, "out-of-bounds-read", found.Bounded, 0, "f#1"),
		at(7, "assertion", found.Bounded, 0, "f#1"),
		at(8, "out-of-bounds-read", found.Bounded, 0, "f#2"), // its loop has no finding
	}}
	counts, folded := Dependents(pointers(&p))
	of := p.Obligations
	if len(folded) != 3 || !folded[&of[1]] || !folded[&of[2]] || !folded[&of[4]] || counts[&of[0]] != 2 ||
		counts[&of[3]] != 1 {
		t.Errorf("folded %d, counts %v", len(folded), counts)
	}
	for i, want := range map[int]string{0: "2 more findings would hold if this did",
		3: "1 more finding holds only within this bound"} {
		if got := DependentsNote(&of[i], counts[&of[i]]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	of[3].Accepted = true
	if counts, folded = Dependents(pointers(&p)); len(folded) != 2 || counts[&of[3]] != 0 {
		t.Errorf("what follows from an accepted finding is left out: folded %d", len(folded))
	}
}
