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

// ProofID names a proof of a Workspace: its root and its name. It survives edits of the entry's
// place. Clients take it as opaque.
type ProofID string

// Phase tells whether a proof is being worked on.
type Phase uint8

// Phases of a proof.
const (
	Idle Phase = iota
	Queued
	Running
)

func (p Phase) String() string { return [...]string{"idle", "queued", "running"}[p] }

// ProofState is what is known about a proof. It is never changed: a snapshot in which something
// is different has another one.
type ProofState struct {
	ID    ProofID
	Proof project.Proof // settings and entry
	Root  paths.Root    // that the relative paths of results start from
	Phase Phase
	// Result is the last one; nil: never verified.
	Result *diagnostics.Proof
	// Earlier is, while Result is an error, the last result that was none. Snapshot.MoveEarlier
	// follows its places.
	Earlier *diagnostics.Proof
	// Partial holds violations that the run under way has found. IDs of findings may still
	// differ from those of the Result to come in their ordinal.
	Partial []diagnostics.Finding
	// Fresh: everything that Result rests on equals what the snapshot holds.
	Fresh bool
	// Rests holds the SHA-256 of each file that Result rests on, by absolute clean path. Zero
	// stands for a file that was not there, and whose appearance may change the result.
	Rests map[string][32]byte
	// Covered are the lines that some execution reaches, if they were asked for.
	Covered found.Coverage
	Elapsed time.Duration // of the last run
	// Reason says why the proof is not verified now ("the workspace is not trusted").
	Reason string
	// Imported is the file of results that Result was taken from; "": it was found out here.
	Imported string
	// Trusted: it may be compiled and run.
	Trusted bool

	listed int    // version of Proof
	about  *basis // of Result
	early  *basis // of Earlier
}

// Snapshot is everything a Workspace knows at one moment. It is immutable.
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

// Version counts snapshots of a Workspace.
func (s *Snapshot) Version() uint64 { return s.version }

// Proofs are the proofs by file, then place.
func (s *Snapshot) Proofs() []*ProofState { return s.proofs }

// Proof is the state of a proof; nil: there is none.
func (s *Snapshot) Proof(id ProofID) *ProofState { return s.byID[id] }

// InFile are the proofs whose entry is in a file.
func (s *Snapshot) InFile(path string) []*ProofState {
	var out []*ProofState
	for _, p := range s.proofs {
		if p.Proof.File == path {
			out = append(out, p)
		}
	}
	return out
}

// Problems are the problems of each configuration that was seen; an empty list: fine.
func (s *Snapshot) Problems() map[string][]project.Problem { return s.problems }

// Untrusted are the requests of roots that nobody has allowed yet.
func (s *Snapshot) Untrusted() []trust.Request { return s.untrusted }

// Text is the text of an open document, else that on disk as of the snapshot. Files that no result
// rests on are read now.
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

// Holds tells whether that is the text of a file.
func (s *Snapshot) Holds(path string, text []byte) bool {
	if known, ok := s.view.text(path); ok {
		return known == string(text) // without a copy
	}
	other, ok := s.Text(path)
	return ok && string(other) == string(text)
}
