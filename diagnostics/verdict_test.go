package diagnostics

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

func TestExitStatus(t *testing.T) {
	is := func(v found.Verdict) Proof { return Proof{Verdict: v} }
	but := func(v, expect found.Verdict) Proof { return Proof{Verdict: v, Options: Options{Expect: expect}} }
	undecided := []found.Verdict{found.Bounded, found.Unknown}
	tests := []struct {
		name   string
		proofs []Proof
		accept []found.Verdict
		want   int
	}{
		{"no proof", nil, nil, 3},
		{"proved", []Proof{is(found.Proved), is(found.Proved)}, nil, 0},
		{"failed", []Proof{is(found.Proved), is(found.Failed)}, nil, 1},
		{"vacuous", []Proof{is(found.Vacuous)}, nil, 1},
		{"unknown", []Proof{is(found.Unknown), is(found.Proved)}, nil, 2},
		{"bounded", []Proof{is(found.Bounded)}, nil, 2},
		{"failed beats unknown", []Proof{is(found.Unknown), is(found.Failed), is(found.Bounded)}, nil, 1},
		{"error beats failed", []Proof{is(found.Failed), is(found.Error)}, nil, 3},
		{"as expected", []Proof{but(found.Failed, found.Failed), but(found.Unknown, found.Unknown)}, nil, 0},
		{"not as expected", []Proof{but(found.Proved, found.Failed)}, nil, 1},
		{"not as expected but accepted", []Proof{but(found.Bounded, found.Proved)}, undecided, 1},
		{"error, though something else was expected", []Proof{but(found.Error, found.Proved)}, nil, 3},
		{"accepted", []Proof{is(found.Unknown), is(found.Bounded)}, undecided, 0},
		{"one accepted", []Proof{is(found.Unknown), is(found.Bounded)}, undecided[:1], 2},
		{"failure cannot be accepted", []Proof{is(found.Failed)}, []found.Verdict{found.Failed}, 1},
		{"a strange verdict is not proved", []Proof{is("")}, nil, 2},
	}
	for _, test := range tests {
		if got := ExitStatus(test.proofs, test.accept); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}
