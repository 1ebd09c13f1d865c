package editing

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/links"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// fakeChecker returns at once a result that is a function of its input: the entry's file, the files that it includes,
// and definitions. So a test can compute the expected result for any state of the files.
type fakeChecker struct {
	mu    sync.Mutex
	runs  []string               // names of the proofs that were run
	sent  int                    // bytes of documents sent to the runs
	pause func() <-chan struct{} // a run waits for it in its middle; nil: no wait
}

var includeLine = regexp.MustCompile(`(?m)^#include "([^"]+)"`)
var needLine = regexp.MustCompile(`(?m)^need (\w+)`)

// fakeResult returns the result for files with the contents of read; a nil text is a missing file.
func fakeResult(p *project.Proof, read func(path string) []byte, define pipeline.Define) (diagnostics.Proof,
	*pipeline.Inputs) {
	in := &pipeline.Inputs{Files: map[string][sha256.Size]byte{}}
	digest := sha256.New()
	bad := false
	var visit func(path string)
	visit = func(path string) {
		if _, seen := in.Files[path]; seen {
			return
		}
		text := read(path)
		if text == nil {
			in.Files[path] = [sha256.Size]byte{}
			fmt.Fprintf(digest, "missing %s\n", path)
			bad = true
			return
		}
		in.Files[path] = sha256.Sum256(text)
		fmt.Fprintf(digest, "%s: %s\n", path, text)
		bad = bad || strings.Contains(string(text), "BAD")
		for _, m := range includeLine.FindAllSubmatch(text, -1) {
			visit(filepath.Join(filepath.Dir(path), string(m[1])))
		}
		for _, m := range needLine.FindAllSubmatch(text, -1) {
			in.Asked = append(in.Asked, string(m[1]))
		}
	}
	visit(p.EntryUnit.File)
	if len(in.Asked) > 0 {
		var answer map[string][]project.Unit
		if define != nil {
			answer = define(in.Asked)
		}
		for _, name := range slices.Sorted(maps.Keys(answer)) {
			for _, u := range answer[name] {
				visit(u.File)
			}
		}
	}
	fmt.Fprintf(digest, "%d %v %s", p.Options.Unwind, p.EntryUnit.Flags, p.Name)
	r := diagnostics.Proof{Name: p.Name, Verdict: found.Proved, Reason: fmt.Sprintf("%x", digest.Sum(nil))}
	if bad {
		r.Verdict = found.Failed
	}
	return r, in
}

func (f *fakeChecker) check(ctx context.Context, j pipeline.Job) pipeline.Result {
	f.mu.Lock()
	f.runs = append(f.runs, j.Proof.Name)
	for _, text := range j.Virtual {
		f.sent += len(text)
	}
	pause := f.pause
	f.mu.Unlock()
	read := func(path string) []byte {
		for p, text := range j.Virtual {
			if links.Resolve(p) == links.Resolve(path) {
				return text
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		return append([]byte{}, text...)
	}
	result, in := fakeResult(&j.Proof, read, j.Define)
	if pause != nil {
		select {
		case <-pause():
		case <-ctx.Done():
			return pipeline.Result{Proof: diagnostics.Proof{Verdict: found.Unknown, Why: found.Reason{Why: found.Interrupted}}}
		}
	}
	j.Inputs(in)
	if ctx.Err() != nil {
		return pipeline.Result{Proof: diagnostics.Proof{Verdict: found.Unknown, Why: found.Reason{Why: found.Interrupted}}}
	}
	return pipeline.Result{Proof: result}
}

func (f *fakeChecker) taken() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	runs := f.runs
	f.runs = nil
	slices.Sort(runs)
	return runs
}

// tree writes files below a new folder with a configuration, and returns the folder.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, given := files["unitproof.toml"]; !given {
		put(t, dir, "unitproof.toml", "")
	}
	for name, text := range files {
		put(t, dir, name, text)
	}
	return dir
}

func put(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// fakeProof returns a harness for fakeChecker that includes files.
func fakeProof(includes ...string) string {
	text := "#include <unitproof.h>\n"
	for _, i := range includes {
		text += fmt.Sprintf("#include %q\n", i)
	}
	return text + "int main(void) { sassert(1); }\n"
}

// openFake opens a Workspace with a fake checker, and checks its invariant at every update.
func openFake(t testing.TB, f *fakeChecker, opts Options) *Workspace {
	t.Helper()
	opts.check, opts.Trusted = f.check, true
	if opts.jobs == 0 {
		opts.jobs = 2
	}
	if opts.quiet == 0 {
		opts.quiet = time.Millisecond
	}
	return openChecked(t, opts, nil)
}

func openChecked(t testing.TB, opts Options, more func(Update)) *Workspace {
	var last *Snapshot
	w := NewWorkspace(opts, func(u Update) {
		if last != nil && u.Snapshot.Version() <= last.Version() {
			t.Errorf("version %d after %d", u.Snapshot.Version(), last.Version())
		}
		last = u.Snapshot
		checkFresh(t, u.Snapshot)
		if more != nil {
			more(u)
		}
	})
	t.Cleanup(w.Close)
	return w
}

// checkFresh checks the invariant: a result marked as fresh is the result for the snapshot's texts.
func checkFresh(t testing.TB, s *Snapshot) {
	t.Helper()
	for _, p := range s.Proofs() {
		if !p.Fresh {
			continue
		}
		if p.Result == nil {
			t.Errorf("%s is fresh and has no result", p.ID)
			continue
		}
		for path, hash := range p.Rests {
			if s.view.hash(path) != hash {
				t.Errorf("version %d: %s is fresh, but %s is another one", s.Version(), p.ID, path)
			}
		}
	}
}

// checkFake compares every fresh result with the expected one for the snapshot's texts.
func checkFake(t testing.TB, s *Snapshot) {
	t.Helper()
	for _, p := range s.Proofs() {
		if !p.Fresh {
			continue
		}
		read := func(path string) []byte {
			text, ok := s.Text(path)
			if !ok {
				return nil
			}
			return append([]byte{}, text...)
		}
		if p.Result.Verdict == found.Unknown {
			continue // killed
		}
		proof := p.Proof
		// Files without dependent results may have been written without an event.
		define := func([]string) map[string][]project.Unit { return p.about.answers }
		want, _ := fakeResult(&proof, read, define)
		if want.Reason != p.Result.Reason {
			t.Errorf("version %d: %s is fresh and %s, but should be %s", s.Version(), p.ID, p.Result.Verdict, want.Verdict)
		}
	}
}

func syncNow(t testing.TB, w *Workspace) *Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := w.Sync(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		for _, p := range w.Snapshot().Proofs() {
			t.Logf("%s: %s %s", p.ID, p.Phase, p.Reason)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func applied(t testing.TB, w *Workspace) *Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := w.Applied(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// overview returns "name verdict[ stale]" for each proof.
func overview(s *Snapshot) string {
	var out []string
	for _, p := range s.Proofs() {
		word := p.Proof.Name + " "
		switch {
		case p.Result == nil:
			word += "none"
		case p.Fresh:
			word += string(p.Result.Verdict)
		default:
			word += string(p.Result.Verdict) + " stale"
		}
		out = append(out, word)
	}
	return strings.Join(out, ", ")
}
