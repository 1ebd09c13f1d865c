package diagnostics

import "github.com/unitproof/unitproof/vcgen"

// Rank orders verdicts by how bad they are: error, failed, unknown, bounded, vacuous, proved,
// unreached, from 6 down to 0 (contract, section 2). A word that is no verdict counts as unknown,
// so that it can never pass for a proof.
func Rank(v vcgen.Verdict) int {
	switch v {
	case vcgen.VerdictError:
		return 6
	case vcgen.Failed:
		return 5
	case vcgen.Bounded:
		return 3
	case vcgen.Vacuous:
		return 2
	case vcgen.Proved:
		return 1
	case vcgen.Unreached:
		return 0
	default:
		return 4
	}
}

// Worst returns the worse of two verdicts.
func Worst(a, b vcgen.Verdict) vcgen.Verdict {
	if Rank(b) > Rank(a) {
		return b
	}
	return a
}

// Exit statuses of check (contract, section 5). The status of an interrupted run, 130, is the
// caller's to know.
const (
	ExitProved    = 0
	ExitFailed    = 1
	ExitUndecided = 2
	ExitError     = 3
)

// ExitStatus computes the exit status of check. The verdicts in accept do not fail the run; a
// proof with an expectation must meet exactly that, whatever is accepted. No proof at all is an
// error.
func ExitStatus(proofs []Proof, accept []vcgen.Verdict) int {
	if len(proofs) == 0 {
		return ExitError
	}
	status := ExitProved
	for i := range proofs {
		status = worseStatus(status, proofs[i].exitStatus(accept))
	}
	return status
}

// worseStatus: the highest of 3, 1, 2, 0 wins in that order.
func worseStatus(a, b int) int {
	order := [...]int{ExitProved: 0, ExitUndecided: 1, ExitFailed: 2, ExitError: 3}
	if order[b] > order[a] {
		return b
	}
	return a
}

func (p *Proof) exitStatus(accept []vcgen.Verdict) int {
	if expect := p.Options.Expect; expect != "" {
		switch p.Verdict {
		case expect:
			return ExitProved
		case vcgen.VerdictError:
			return ExitError
		default:
			return ExitFailed
		}
	}
	for _, v := range accept {
		// Only what is undecided can be accepted for a whole run: a failure is accepted finding by finding.
		if v == p.Verdict && (v == vcgen.Unknown || v == vcgen.Bounded) {
			return ExitProved
		}
	}
	switch p.Verdict {
	case vcgen.Proved:
		return ExitProved
	case vcgen.Failed, vcgen.Vacuous:
		return ExitFailed
	case vcgen.VerdictError:
		return ExitError
	default:
		return ExitUndecided
	}
}
