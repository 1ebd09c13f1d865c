package editing

import (
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/pipeline/trust"
	"github.com/unitproof/unitproof/vcgen/found"
)

// ProofID identifies a proof of a Workspace by its root and name. Edits that move the entry do not change it. It is
// opaque to clients.
type ProofID string

// Phase is the scheduling state of a proof.
type Phase uint8

// Phases of a proof.
const (
	Idle Phase = iota
	Queued
	Running
)

// Cancelled is the Reason of a proof whose last run was cancelled.
const Cancelled = "cancelled"

func (p Phase) String() string { return [...]string{"idle", "queued", "running"}[p] }

// ProofState is the state of a proof. It is immutable: a snapshot with other data has another ProofState.
type ProofState struct {
	ID    ProofID
	Proof project.Proof // settings and entry
	Root  paths.Root    // base of relative paths in results
	Phase Phase
	// Result is the last result; nil if the proof was never verified.
	Result *diagnostics.Proof
	// Earlier is the last result without an error, while Result is an error. Snapshot.MoveEarlier moves its
	// positions.
	Earlier *diagnostics.Proof
	// Partial has violations that the current run has found. Finding IDs may differ from those of the later Result in
	// their ordinal.
	Partial []diagnostics.Finding
	// Fresh reports that all dependencies of Result equal the snapshot.
	Fresh bool
	// Rests has the SHA-256 of each file that Result depends on, by absolute clean path. Zero stands for a missing
	// file whose appearance may change the result.
	Rests map[string][32]byte
	// Covered has the lines that some execution reaches, if requested.
	Covered found.Coverage
	Elapsed time.Duration // of the last run
	// Reason is the reason that the proof is not verified now ("the workspace is not trusted").
	Reason string
	// Imported is the file of results that Result was imported from; "" for a local result.
	Imported string
	// Trusted reports that the proof may be compiled and run.
	Trusted bool

	listed int    // version of Proof
	about  *basis // of Result
	early  *basis // of Earlier
}

// Snapshot is the state of a Workspace at one moment. It is immutable.
type Snapshot struct {
	version  uint64
	proofs   []*ProofState
	byID     map[ProofID]*ProofState
	problems map[string][]project.Problem
	// untrusted is never changed.
	untrusted []trust.Request
	view      *view
	moves     *moves
}

// Version returns the number of the snapshot.
func (s *Snapshot) Version() uint64 { return s.version }

// Proofs returns the proofs by file and position.
func (s *Snapshot) Proofs() []*ProofState { return s.proofs }

// Proof returns the state of a proof, or nil.
func (s *Snapshot) Proof(id ProofID) *ProofState { return s.byID[id] }

// InFile returns the proofs whose entry is in a file.
func (s *Snapshot) InFile(path string) []*ProofState {
	var out []*ProofState
	for _, p := range s.proofs {
		if p.Proof.File == path {
			out = append(out, p)
		}
	}
	return out
}

// Problems returns the errors of each configuration by path; an empty list for a valid one.
func (s *Snapshot) Problems() map[string][]project.Problem { return s.problems }

// Untrusted returns the requests of roots that the user has not allowed yet.
func (s *Snapshot) Untrusted() []trust.Request { return s.untrusted }

// Text returns the text of an open document, else that on disk as of the snapshot. Files without dependent results
// are read now.
func (s *Snapshot) Text(path string) ([]byte, bool) {
	if text, known := s.view.text(path); known {
		return []byte(text), true
	}
	if f := s.view.disk[path]; f != nil && f.hash == (ondisk.Hash{}) {
		return nil, false
	}
	text, err := regular.Source(path)
	return text, err == nil
}

// Holds reports whether a file has a given text.
func (s *Snapshot) Holds(path string, text []byte) bool {
	if known, ok := s.view.text(path); ok {
		return known == string(text) // without a copy
	}
	other, ok := s.Text(path)
	return ok && string(other) == string(text)
}
