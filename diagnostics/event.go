package diagnostics

import (
	"encoding/json"
	"io"

	"github.com/unitproof/unitproof/vcgen/found"
)

// Event is one line of `watch --json`. Which fields are set depends on Event.
type Event struct {
	// Event is one of the constants EventChanged and so on.
	Event string `json:"event"`
	// Name is the name of the proof, for proof-started, finding and proof.
	Name string `json:"name,omitempty"`
	File string `json:"file,omitempty"`
	// Files are the changed files, for changed.
	Files []string `json:"files,omitempty"`
	// Finding is a finding that was decided before its proof ended.
	Finding *Finding `json:"finding,omitempty"`
	// Proof is the final result of a proof.
	Proof *Proof `json:"proof,omitempty"`
	// Counts is the number of proofs by verdict, for run-finished.
	Counts map[found.Verdict]int `json:"counts,omitempty"`
	// Message describes a failure of the run itself, for error.
	Message string `json:"message,omitempty"`
}

// Kinds of events, in the order in which a run sends them.
const (
	EventChanged      = "changed"
	EventRunStarted   = "run-started"
	EventProofStarted = "proof-started"
	EventFinding      = "finding"
	EventProof        = "proof"
	EventRunFinished  = "run-finished"
	EventError        = "error"
)

// WriteEvent writes an event as one line.
func WriteEvent(w io.Writer, e Event) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(e)
}

// CountVerdicts counts proofs by verdict.
func CountVerdicts(proofs []Proof) map[found.Verdict]int {
	counts := map[found.Verdict]int{}
	for i := range proofs {
		counts[proofs[i].Verdict]++
	}
	return counts
}
