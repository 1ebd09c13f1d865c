package pipeline

import (
	"context"

	"github.com/unitproof/unitproof/pipeline/project"
)

// WorkspaceOptions say what a Workspace is about and who does its work.
type WorkspaceOptions struct {
	Folders  []string         // absolute
	CacheDir string           // see Settings
	Solver   string           // see Settings
	Client   project.Settings // weaker than [check], stronger than the defaults
	Trusted  bool             // false: proofs are listed, nothing is compiled or run
	Pool     *Pool            // who checks; not closed by the Workspace
	Watch    bool             // watch the disk, too
	Flags    project.Flags    // stronger than configurations
}

// Update tells of a new snapshot.
type Update struct {
	Snapshot *Snapshot
	Changed  []ProofID // whose state differs from that in the update before
	Removed  []ProofID
	// Done of Total runs of the present batch have ended; 0, 0: nothing is under way.
	Done, Total int
}

// VerifyOptions say how Workspace.Verify goes about it.
type VerifyOptions struct {
	Force    bool // also what is fresh
	Coverage bool // ask for the lines that are reached
}

// Workspace keeps what is known about the proofs below some folders up to date.
type Workspace struct {
	opts WorkspaceOptions
}

// NewWorkspace starts to look for proofs. updates is told of each new snapshot, in order and never
// twice at a time.
func NewWorkspace(opts WorkspaceOptions, updates func(Update)) *Workspace {
	return &Workspace{opts: opts}
}

// Close ends all runs.
func (w *Workspace) Close() {}

// SetFolders replaces the folders.
func (w *Workspace) SetFolders(folders []string) {}

// SetClient replaces the client's settings.
func (w *Workspace) SetClient(s project.Settings) {}

// SetTrusted says whether programs may be compiled and run.
func (w *Workspace) SetTrusted(trusted bool) {}

// SetBuffer tells the text of an open document, which stands for its file from now on.
func (w *Workspace) SetBuffer(path string, text []byte) {}

// CloseBuffer ends that.
func (w *Workspace) CloseBuffer(path string) {}

// Saved tells that a document was written.
func (w *Workspace) Saved(path string) {}

// FilesChanged tells that files or folders may have changed, appeared or gone.
func (w *Workspace) FilesChanged(paths []string) {}

// Focus tells what the user looks at: what is verified first.
func (w *Workspace) Focus(visible []string, path string, line int) {}

// Verify verifies proofs (nil: all) whatever the mode.
func (w *Workspace) Verify(ids []ProofID, opts VerifyOptions) {}

// Cancel ends the runs of proofs (nil: all), queued ones included.
func (w *Workspace) Cancel(ids []ProofID) {}

// Snapshot is the present state; never nil.
func (w *Workspace) Snapshot() *Snapshot { return &Snapshot{} }

// Applied waits until the inputs so far are applied and the update that tells of them was delivered.
func (w *Workspace) Applied(ctx context.Context) (*Snapshot, error) { return w.Snapshot(), nil }

// Sync waits until the inputs so far are applied and nothing is queued or running.
func (w *Workspace) Sync(ctx context.Context) (*Snapshot, error) { return w.Snapshot(), nil }

type basis struct{}
type view struct{}

// Text is the buffer's text, or else the disk's as of the snapshot.
func (s *Snapshot) Text(path string) ([]byte, bool) { return nil, false }

// Move follows a place of a result of p to the text of the snapshot. The file is as in the result,
// lines and byte columns count from 1. false: the text there is gone.
func (s *Snapshot) Move(p *ProofState, file string, line, column int) (int, int, bool) {
	return line, column, true
}
