package diagnostics

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestRelativeAssumption checks that files become relative to the root, including the files in lists.
func TestRelativeAssumption(t *testing.T) {
	a := relativeAssumption("/w", found.Assumption{What: found.OneOfSeveral, At: found.Pos{File: "/w/a.c"},
		Names: []string{"/w/b.c", "/x/c.c"}})
	if a.At.File != "a.c" || a.Names[0] != "b.c" || a.Names[1] != "/x/c.c" {
		t.Errorf("%+v", a)
	}
}

// TestRelativeReason checks that the files of reasons, their causes and their texts become relative.
func TestRelativeReason(t *testing.T) {
	at := found.Pos{File: "/w/src/p.c", Line: 3}
	r := relativeReason("/w", found.Reason{Why: found.ReachUndecided, At: at, Text: "z3 said /w/src/p.c, not /x/w/q.c",
		Cause: &found.Reason{Why: found.BehindViolation, At: at}})
	if r.At.File != "src/p.c" || r.Text != "z3 said src/p.c, not /x/w/q.c" || r.Cause.At.File != "src/p.c" {
		t.Errorf("%+v, %+v", r, r.Cause)
	}
}
