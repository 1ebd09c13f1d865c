package found

// Verdict is the answer for an instance of an obligation, a finding or a proof (contract, section 2).
type Verdict string

// The verdicts. Error applies only to whole proofs.
const (
	Error     Verdict = "error"
	Failed    Verdict = "failed"
	Unknown   Verdict = "unknown"
	Bounded   Verdict = "bounded"
	Vacuous   Verdict = "vacuous"
	Proved    Verdict = "proved"
	Unreached Verdict = "unreached"
)

// Verdicts lists all verdicts, worst first.
func Verdicts() []Verdict {
	return []Verdict{Error, Failed, Unknown, Bounded, Vacuous, Proved, Unreached}
}

// Rank orders verdicts by severity: 0 is unreached, 6 an error (contract, section 2).
//
// An invalid verdict ranks as unknown, so that it cannot pass for a proof.
func (v Verdict) Rank() int {
	switch v {
	case Error:
		return 6
	case Failed:
		return 5
	case Bounded:
		return 3
	case Vacuous:
		return 2
	case Proved:
		return 1
	case Unreached:
		return 0
	default:
		return 4
	}
}

// Worst returns the worse of two verdicts; a if they are equally bad.
func Worst(a, b Verdict) Verdict {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}
