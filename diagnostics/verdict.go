package diagnostics

import (
	"github.com/unitproof/unitproof/vcgen/found"
)

// Exit statuses of check (contract, section 5). The caller handles the status of an interrupted run, 130.
const (
	ExitProved    = 0
	ExitFailed    = 1
	ExitUndecided = 2
	ExitError     = 3
)

// ExitStatus returns the exit status of check. Verdicts in accept do not fail the run, except that a proof with an
// expectation must have exactly the expected verdict. A run without proofs is an error.
func ExitStatus(proofs []Proof, accept []found.Verdict) int {
	if len(proofs) == 0 {
		return ExitError
	}
	status := ExitProved
	for i := range proofs {
		status = worseStatus(status, proofs[i].exitStatus(accept))
	}
	return status
}

// worseStatus returns the worse status, in the order 3, 1, 2, 0.
func worseStatus(a, b int) int {
	order := [...]int{ExitProved: 0, ExitUndecided: 1, ExitFailed: 2, ExitError: 3}
	if order[b] > order[a] {
		return b
	}
	return a
}

func (p *Proof) exitStatus(accept []found.Verdict) int {
	if expect := p.Options.Expect; expect != "" {
		switch p.Verdict {
		case expect:
			return ExitProved
		case found.Error:
			return ExitError
		default:
			return ExitFailed
		}
	}
	for _, v := range accept {
		// Only what is undecided can be accepted for a whole run: a failure is accepted finding by finding.
		if v == p.Verdict && (v == found.Unknown || v == found.Bounded) {
			return ExitProved
		}
	}
	switch p.Verdict {
	case found.Proved:
		return ExitProved
	case found.Failed, found.Vacuous:
		return ExitFailed
	case found.Error:
		return ExitError
	default:
		return ExitUndecided
	}
}
