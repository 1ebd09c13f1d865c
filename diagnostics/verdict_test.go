package diagnostics

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen"
)

func TestExitStatus(t *testing.T) {
	is := func(v vcgen.Verdict) Proof { return Proof{Verdict: v} }
	but := func(v, expect vcgen.Verdict) Proof { return Proof{Verdict: v, Options: Options{Expect: expect}} }
	undecided := []vcgen.Verdict{vcgen.Bounded, vcgen.Unknown}
	tests := []struct {
		name   string
		proofs []Proof
		accept []vcgen.Verdict
		want   int
	}{
		{"no proof", nil, nil, 3},
		{"proved", []Proof{is(vcgen.Proved), is(vcgen.Proved)}, nil, 0},
		{"failed", []Proof{is(vcgen.Proved), is(vcgen.Failed)}, nil, 1},
		{"vacuous", []Proof{is(vcgen.Vacuous)}, nil, 1},
		{"unknown", []Proof{is(vcgen.Unknown), is(vcgen.Proved)}, nil, 2},
		{"bounded", []Proof{is(vcgen.Bounded)}, nil, 2},
		{"failed beats unknown", []Proof{is(vcgen.Unknown), is(vcgen.Failed), is(vcgen.Bounded)}, nil, 1},
		{"error beats failed", []Proof{is(vcgen.Failed), is(vcgen.VerdictError)}, nil, 3},
		{"as expected", []Proof{but(vcgen.Failed, vcgen.Failed), but(vcgen.Unknown, vcgen.Unknown)}, nil, 0},
		{"not as expected", []Proof{but(vcgen.Proved, vcgen.Failed)}, nil, 1},
		{"not as expected but accepted", []Proof{but(vcgen.Bounded, vcgen.Proved)}, undecided, 1},
		{"error, though something else was expected", []Proof{but(vcgen.VerdictError, vcgen.Proved)}, nil, 3},
		{"accepted", []Proof{is(vcgen.Unknown), is(vcgen.Bounded)}, undecided, 0},
		{"one accepted", []Proof{is(vcgen.Unknown), is(vcgen.Bounded)}, undecided[:1], 2},
		{"failure cannot be accepted", []Proof{is(vcgen.Failed)}, []vcgen.Verdict{vcgen.Failed}, 1},
		{"a strange verdict is not proved", []Proof{is("")}, nil, 2},
	}
	for _, test := range tests {
		if got := ExitStatus(test.proofs, test.accept); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

func TestOrder(t *testing.T) {
	worstFirst := []vcgen.Verdict{vcgen.VerdictError, vcgen.Failed, vcgen.Unknown, vcgen.Bounded, vcgen.Vacuous, vcgen.Proved, vcgen.Unreached}
	for i, a := range worstFirst {
		for j, b := range worstFirst {
			if want := worstFirst[min(i, j)]; Worst(a, b) != want {
				t.Errorf("Worst(%s, %s) = %s", a, b, Worst(a, b))
			}
		}
	}
}
