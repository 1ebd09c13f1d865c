package editing

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// TestWorkspaceLife follows proofs that are found, verified, edited, saved and renamed.
func TestWorkspaceLife(t *testing.T) {
	dir := tree(t, map[string]string{"a_harness.c": fakeProof("x.h"), "b_harness.c": fakeProof("y.h"), "x.h": "int x;",
		"y.h": "int y;", "plain.c": "int f;"})
	f := &fakeChecker{}
	w := openFake(t, f, Options{Folders: []string{dir}})
	expect := func(what, want, runs string) {
		t.Helper()
		s := syncNow(t, w)
		checkFake(t, s)
		if got := overview(s); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		if got := strings.Join(f.taken(), " "); got != runs {
			t.Errorf("%s: runs of %q, want %q", what, got, runs)
		}
	}
	expect("opened", "a proved, b proved", "a b")
	x := filepath.Join(dir, "x.h")
	w.SetBuffer(x, []byte("int x; BAD"))
	expect("typed in a header", "a proved stale, b proved", "")
	w.SetBuffer(x, []byte("int x;"))
	expect("undone", "a proved, b proved", "")
	w.SetBuffer(x, []byte("int x; BAD"))
	put(t, dir, "x.h", "int x; BAD")
	w.Saved(x)
	w.FilesChanged([]string{x})
	w.FilesChanged([]string{x, x})
	expect("saved, and told of thrice", "a failed, b proved", "a")
	w.CloseBuffer(x)
	w.FilesChanged([]string{x})
	expect("closed", "a failed, b proved", "")
	put(t, dir, "y.h", "int y; BAD")
	w.FilesChanged([]string{filepath.Join(dir, "y.h")})
	expect("another program wrote", "a failed, b failed", "b")
	put(t, dir, "y.h", "int y; BAD")
	w.FilesChanged([]string{filepath.Join(dir, "y.h")})
	expect("it wrote the same", "a failed, b failed", "")

	b, c := filepath.Join(dir, "b_harness.c"), filepath.Join(dir, "c_harness.c")
	if err := os.Rename(b, c); err != nil {
		t.Fatal(err)
	}
	w.FilesChanged([]string{b, c})
	expect("renamed", "a failed, c failed", "c")
	if err := os.Remove(filepath.Join(dir, "x.h")); err != nil {
		t.Fatal(err)
	}
	w.FilesChanged([]string{x})
	expect("a header went", "a failed, c failed", "a")
	put(t, dir, "x.h", "int x;")
	w.FilesChanged([]string{x})
	expect("and came again", "a proved, c failed", "a")

	put(t, dir, "unitproof.toml", "[check]\nunwind = 3\n")
	w.FilesChanged([]string{filepath.Join(dir, "unitproof.toml")})
	expect("a setting of all", "a proved, c failed", "a c")
	put(t, dir, "unitproof.toml", "[check]\nunwind = \"three\"\n")
	w.FilesChanged([]string{filepath.Join(dir, "unitproof.toml")})
	expect("a bad setting", "a proved, c failed", "")
	if p := w.Snapshot().Problems()[filepath.Join(dir, "unitproof.toml")]; len(p) != 1 || p[0].Line != 2 {
		t.Errorf("problems: %v", p)
	}
	put(t, dir, "unitproof.toml", "[check]\nunwind = 3\n")
	w.FilesChanged([]string{filepath.Join(dir, "unitproof.toml")})
	expect("mended", "a proved, c failed", "")
	if p, seen := w.Snapshot().Problems()[filepath.Join(dir, "unitproof.toml")]; !seen || len(p) != 0 {
		t.Errorf("problems: %v", p)
	}

	// New lines above an entry move it; its result has another file and is stale until the file is saved.
	s := w.Snapshot()
	id, line := s.Proofs()[0].ID, s.Proofs()[0].Proof.Line
	a := filepath.Join(dir, "a_harness.c")
	w.SetBuffer(a, []byte("\n\n"+fakeProof("x.h")))
	expect("lines above an entry", "a proved stale, c failed", "")
	if p := w.Snapshot().Proof(id); p == nil || p.Proof.Line != line+2 {
		t.Errorf("the entry did not move: %v", p)
	}
	if l, col, ok := w.Snapshot().Move(w.Snapshot().Proof(id), "a_harness.c", 3, 5); !ok || l != 5 || col != 5 {
		t.Errorf("moved to %d:%d %v", l, col, ok)
	}
	w.Verify([]ProofID{id}, VerifyOptions{})
	expect("asked for", "a proved, c failed", "a")
	w.Verify([]ProofID{id}, VerifyOptions{})
	expect("asked for again", "a proved, c failed", "")
	w.Verify([]ProofID{id}, VerifyOptions{Force: true})
	expect("forced", "a proved, c failed", "a")
	w.CloseBuffer(a)
	expect("thrown away", "a proved, c failed", "a")

	// An entry that disappears during typing has its result when it returns.
	w.SetBuffer(a, []byte("#include <unitproof.h>\nint mai"))
	expect("typing", "c failed", "")
	w.SetBuffer(a, []byte(fakeProof("x.h")))
	expect("typed", "a proved, c failed", "")
	w.CloseBuffer(a)

	// A document that was never saved.
	d := filepath.Join(dir, "d_harness.c")
	w.SetBuffer(d, []byte(fakeProof()))
	expect("a new document", "a proved, c failed, d none", "")
	put(t, dir, "d_harness.c", fakeProof())
	w.Saved(d)
	expect("was saved", "a proved, c failed, d proved", "d")

	w.SetTrusted(false)
	put(t, dir, "x.h", "int x; BAD")
	w.FilesChanged([]string{x})
	w.Verify(nil, VerifyOptions{Force: true})
	expect("not trusted", "a proved stale, c failed, d proved", "")
	if got := w.Snapshot().Proofs()[0].Reason; got != "the workspace is not trusted" {
		t.Errorf("reason: %q", got)
	}
	w.SetTrusted(true)
	expect("trusted", "a failed, c failed, d proved", "a")

	manual := project.Settings{On: new(project.OnManual)}
	w.SetClient(manual)
	put(t, dir, "x.h", "int x;")
	w.FilesChanged([]string{x})
	expect("manual", "a failed stale, c failed, d proved", "")
	w.Verify(nil, VerifyOptions{})
	expect("on demand", "a proved, c failed, d proved", "a")

	w.SetClient(project.Settings{On: new(project.OnIdle)})
	w.SetBuffer(x, []byte("int x; BAD"))
	expect("while typing", "a failed, c failed, d proved", "a")
	w.SetFolders(nil)
	expect("no folder", "d proved", "")
}

// TestTogether selects another solver, which makes all results stale, together with manual mode, in which no proof is
// verified because of that.
func TestTogether(t *testing.T) {
	dir := tree(t, map[string]string{"a_harness.c": fakeProof()})
	f := &fakeChecker{}
	w := openFake(t, f, Options{Folders: []string{dir}})
	syncNow(t, w)
	f.taken()
	w.Together(func() {
		w.SetMeans(2, "z3", "")
		time.Sleep(50 * time.Millisecond) // enough to start a run, if this were applied alone
		w.SetClient(project.Settings{On: new(project.OnManual)})
	})
	syncNow(t, w)
	if runs := f.taken(); len(runs) > 0 {
		t.Errorf("verified: %v", runs)
	}
}

// TestLead checks that a visible proof compiles alone, and that the others reuse its compiled files.
func TestLead(t *testing.T) {
	files := map[string]string{"x.h": "int x;"}
	for _, name := range []string{"a", "b", "c", "d"} {
		files[name+"_harness.c"] = fakeProof("x.h")
	}
	dir := tree(t, files)
	f := &fakeChecker{}
	w := openFake(t, f, Options{Folders: []string{dir}, jobs: 3})
	w.Focus([]string{filepath.Join(dir, "c_harness.c")}, filepath.Join(dir, "c_harness.c"), 1)
	syncNow(t, w)
	f.taken()
	compiled := make(chan struct{})
	f.mu.Lock()
	f.pause = func() <-chan struct{} { return compiled }
	f.mu.Unlock()
	x := put(t, dir, "x.h", "int x; BAD")
	w.FilesChanged([]string{x})
	running := func(want string) {
		t.Helper()
		// A run is in the snapshot at once, but in the checker only after its goroutine has started.
		var got []string
		for _, p := range applied(t, w).Proofs() {
			if p.Phase == Running {
				got = append(got, p.Proof.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("running: %q, want %q", got, want)
		}
	}
	running("c")
	w.Focus([]string{filepath.Join(dir, "b_harness.c")}, filepath.Join(dir, "b_harness.c"), 1)
	running("b c") // the user moved to another file
	close(compiled)
	if got := overview(syncNow(t, w)); got != "a failed, b failed, c failed, d failed" {
		t.Error(got)
	}
	if got := strings.Join(f.taken(), " "); got != "a b c d" {
		t.Errorf("runs of %q", got)
	}
}

func TestDefinitionsMove(t *testing.T) {
	dir := tree(t, map[string]string{"a_harness.c": fakeProof() + "\nneed helper\n",
		"one.c": "int helper(void) { return 1; }", "two.c": "int other(void) { return 2; }",
		"compile_commands.json": `[{"directory": ".", "file": "one.c", "command": "cc one.c"}, {"directory": ".", "file": "two.c", "command": "cc two.c"}]`})
	f := &fakeChecker{}
	w := openFake(t, f, Options{Folders: []string{dir}})
	expect := func(what, want, runs string) {
		t.Helper()
		if got := overview(syncNow(t, w)); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		if got := strings.Join(f.taken(), " "); got != runs {
			t.Errorf("%s: runs of %q, want %q", what, got, runs)
		}
	}
	expect("opened", "a proved", "a")
	two := filepath.Join(dir, "two.c")
	w.SetBuffer(two, []byte("int other(void) { return 3; }"))
	expect("a file that defines nothing of it", "a proved", "")
	w.SetBuffer(two, []byte("int helper(void) { return 3; }"))
	expect("a second definition", "a proved stale", "")
	w.SetBuffer(two, []byte("int other(void) { return 2; }"))
	expect("undone", "a proved", "")
	put(t, dir, "two.c", "int helper(void) { return 3; }")
	w.CloseBuffer(two)
	w.FilesChanged([]string{two})
	expect("saved", "a proved", "a")
	put(t, dir, "two.c", "int other(void) { return 3; }")
	w.FilesChanged([]string{two})
	expect("written elsewhere", "a proved", "a")
	put(t, dir, "two.c", "int other(void) { return 4; }")
	w.FilesChanged([]string{two})
	expect("written again", "a proved", "")
	put(t, dir, "two.c", "int helper(void) { return 4; }")
	w.FilesChanged([]string{two})
	expect("and again", "a proved", "a")
	put(t, dir, "compile_commands.json", `[{"directory": ".", "file": "two.c", "command": "cc two.c"}]`)
	w.FilesChanged([]string{filepath.Join(dir, "compile_commands.json")})
	expect("another database", "a proved", "a")
}

// TestClosedWhileListing checks that a Workspace that is closed finishes its current step, and starts no run.
func TestClosedWhileListing(t *testing.T) {
	dir, f := tree(t, map[string]string{"a_harness.c": fakeProof()}), &fakeChecker{}
	w := openFake(t, f, Options{Folders: []string{dir}})
	syncNow(t, w)
	f.taken()
	entered, gate := make(chan struct{}), make(chan struct{})
	w.send(func() {
		close(entered)
		<-gate
		w.state.verify(nil, VerifyOptions{Force: true})
	})
	<-entered
	ended := make(chan struct{})
	go func() { w.Close(); close(ended) }()
	for !w.closing() {
		time.Sleep(time.Millisecond)
	}
	close(gate)
	<-ended
	if runs := f.taken(); len(runs) != 0 {
		t.Errorf("runs of %q were started", runs)
	}
}

// TestDefineWhileListed runs checks that look for definitions in a missing file, while a broken configuration is
// repaired. The race detector checks for concurrent access.
func TestDefineWhileListed(t *testing.T) {
	const good, bad = "[check]\nunwind = 3\n", "[check]\nunwind = \"three\"\n"
	dir := tree(t, map[string]string{"unitproof.toml": good, "a_harness.c": fakeProof(),
		"compile_commands.json": `[{"directory": ".", "file": "gone.c", "command": "cc gone.c"}]`})
	fake := &fakeChecker{}
	var slow atomic.Bool
	asking := make(chan bool)
	w := openChecked(t, Options{Folders: []string{dir}, Trusted: true, jobs: 2, quiet: time.Millisecond,
		check: func(ctx context.Context, j pipeline.Job) pipeline.Result {
			for slow.Load() {
				j.Define([]string{"helper"})
				select {
				case asking <- true:
				default:
				}
			}
			return fake.check(ctx, j)
		}}, nil)
	configure := func(text string) {
		put(t, dir, "unitproof.toml", text)
		w.FilesChanged([]string{filepath.Join(dir, "unitproof.toml")})
	}
	syncNow(t, w)
	configure(bad)
	syncNow(t, w)
	slow.Store(true)
	w.Verify(nil, VerifyOptions{Force: true})
	for range 20 {
		configure(good)
		<-asking
		configure(bad)
		<-asking
	}
	slow.Store(false)
	syncNow(t, w)
}
