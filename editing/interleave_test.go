package editing

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// interleavings is the number of random steps of the test of freshness, in sessions of sessionSteps.
const (
	interleavings = 10_000
	sessionSteps  = 40
)

// session is a random sequence of events from users, editors, other programs and the system for a Workspace.
type session struct {
	t       *testing.T
	seed    uint64
	random  *rand.Rand
	dir     string
	w       *Workspace
	buffers map[string]string
	untold  []string // written files without an event so far
	kill    atomic.Bool
	log     []string
}

// TestFreshness checks that no sequence of events marks a stale result as fresh, and that the final state equals that
// of a new check.
func TestFreshness(t *testing.T) {
	sessions := interleavings / sessionSteps
	if testing.Short() {
		sessions /= 4
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(sessions) || t.Failed() {
					return
				}
				runSession(t, uint64(n))
			}
		})
	}
	wait.Wait()
}

func runSession(t *testing.T, seed uint64) {
	s := &session{t: t, seed: seed, random: rand.New(rand.NewPCG(seed, 1)), buffers: map[string]string{}}
	s.dir = tree(t, map[string]string{
		"a_harness.c": fakeProof("inc/x.h"), "b_harness.c": fakeProof("link/x.h", "inc/y.h"),
		"sub/c_harness.c": fakeProof("../inc/y.h") + "need helper\n",
		"inc/x.h":         "int x;", "inc/y.h": "#include \"x.h\"\n", "one.c": "int helper(void) { return 1; }",
		"two.c":                 "int other(void) { return 1; }",
		"compile_commands.json": `[{"directory": ".", "file": "one.c", "command": "cc one.c"}, {"directory": ".", "file": "two.c", "command": "cc two.c"}]`,
	})
	defer os.RemoveAll(s.dir)
	if err := os.Symlink("inc", filepath.Join(s.dir, "link")); err != nil {
		t.Error(err)
		return
	}
	fake := &fakeChecker{}
	opts := Options{Folders: []string{s.dir}, Trusted: true, jobs: 2, quiet: time.Millisecond,
		Client: project.Settings{On: new(s.mode())}}
	opts.check = func(ctx context.Context, j pipeline.Job) pipeline.Result {
		if n := rand.IntN(4); n > 0 {
			time.Sleep(time.Duration(n) * 200 * time.Microsecond)
		}
		if s.kill.CompareAndSwap(true, false) {
			return pipeline.Result{Proof: diagnostics.Proof{Name: j.Proof.Name, Verdict: found.Unknown, Reason: "killed"}}
		}
		return fake.check(ctx, j)
	}
	s.w = NewWorkspace(opts, func(u Update) {
		checkFresh(t, u.Snapshot)
		checkFake(t, u.Snapshot)
	})
	defer s.w.Close()
	for range sessionSteps {
		s.step()
		if s.random.IntN(8) == 0 {
			syncNow(t, s.w)
		}
	}
	s.finish(opts)
	if t.Failed() {
		t.Logf("session %d:\n%s", seed, strings.Join(s.log, "\n"))
	}
}

func (s *session) say(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

func (s *session) mode() project.On {
	return pick(s.random, project.OnSave, project.OnSave, project.OnIdle, project.OnManual)
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func (s *session) file() string {
	return pick(s.random, "a_harness.c", "b_harness.c", "sub/c_harness.c", "d_harness.c", "inc/x.h", "inc/x.h", "inc/y.h",
		"inc/z.h", "one.c", "two.c")
}

// text returns a random content for a file.
func (s *session) text(name string) string {
	r := s.random
	switch {
	case strings.HasSuffix(name, "_harness.c"):
		up := strings.Repeat("../", strings.Count(name, "/"))
		text := strings.Repeat("\n", r.IntN(2)) + fakeProof(up+pick(r, "inc", "link")+"/"+pick(r, "x.h", "y.h", "z.h"))
		return text + pick(r, "", "need helper\n", "int b_proof(void) { return 0; }\n")
	case strings.HasSuffix(name, ".c"):
		return fmt.Sprintf("int %s(void) { return %d; }", pick(r, "helper", "other"), r.IntN(2))
	case name == "inc/y.h":
		return pick(r, "#include \"x.h\"\n", "#include \"z.h\"\n", "int y;\n")
	}
	return pick(r, "int x;", "int x; BAD", "int z;")
}

func (s *session) write(name, text string) {
	path := filepath.Join(s.dir, name)
	if s.random.IntN(2) == 0 { // like many editors
		put(s.t, s.dir, name+".tmp", text)
		if err := os.Rename(path+".tmp", path); err != nil {
			s.t.Error(err)
		}
	} else {
		put(s.t, s.dir, name, text)
	}
	s.untold = append(s.untold, path)
}

func (s *session) tell() {
	if len(s.untold) > 0 {
		s.w.FilesChanged(append(slices.Clone(s.untold), s.untold[0]))
		s.untold = nil
	}
}

func (s *session) step() {
	name := s.file()
	path := filepath.Join(s.dir, name)
	if strings.HasPrefix(name, "inc/") && s.random.IntN(3) == 0 { // opened under another name
		path = filepath.Join(s.dir, "link", filepath.Base(name))
	}
	text, open := s.buffers[path]
	switch n := s.random.IntN(20); n {
	case 0, 1, 2, 3, 4, 5:
		text = s.text(name)
		for _, same := range []string{name, strings.Replace(name, "inc/", "link/", 1)} { // one document per file
			if same = filepath.Join(s.dir, same); s.buffers[same] != "" {
				path = same
			}
		}
		s.say("edit %s %q", path, text)
		s.buffers[path] = text
		s.w.SetBuffer(path, []byte(text))
	case 6, 7, 8:
		if open {
			s.say("save %s", path)
			s.write(name, text)
			s.w.Saved(path)
		}
	case 9:
		if open {
			s.say("close %s", path)
			delete(s.buffers, path)
			s.w.CloseBuffer(path)
		}
	case 10, 11:
		text := s.text(name)
		s.say("write %s %q", name, text)
		s.write(name, text)
	case 12:
		s.say("remove %s", name)
		os.Remove(filepath.Join(s.dir, name)) // it may not exist
		s.untold = append(s.untold, filepath.Join(s.dir, name))
	case 13:
		to := filepath.Join(s.dir, "d_harness.c")
		if from := filepath.Join(s.dir, "a_harness.c"); s.random.IntN(2) == 0 {
			s.say("rename a to d")
			os.Rename(from, to)
			s.untold = append(s.untold, from, to)
		} else {
			s.say("rename d to a")
			os.Rename(to, from)
			s.untold = append(s.untold, to, from)
		}
	case 14:
		text := pick(s.random, "", "[check]\nunwind = 2\n", "[check]\nunwind = \"2\"\n",
			"[[proof]]\nfile = \"a_harness.c\"\nname = \"first\"\n")
		s.say("configure %q", text)
		s.write("unitproof.toml", text)
	case 15:
		s.say("cancel")
		s.w.Cancel(nil)
	case 16:
		s.say("kill")
		s.kill.Store(true)
	case 17:
		s.say("verify")
		s.w.Verify(nil, VerifyOptions{Force: s.random.IntN(2) == 0})
	case 18:
		s.w.Focus([]string{path}, filepath.Join(s.dir, "a_harness.c"), 1)
	case 19:
		mode := s.mode()
		s.say("mode %s", mode)
		s.w.SetClient(project.Settings{On: new(mode)})
	}
	if s.random.IntN(3) > 0 {
		s.tell()
	}
}

// finish compares with a Workspace that is opened on the final files.
func (s *session) finish(opts Options) {
	s.tell()
	if config := filepath.Join(s.dir, "unitproof.toml"); len(syncNow(s.t, s.w).Problems()[config]) > 0 {
		s.write("unitproof.toml", "") // otherwise the last valid one is in effect, which a new Workspace would not have
		s.tell()
	}
	s.kill.Store(false)
	opts.Client = project.Settings{On: new(project.OnSave)}
	s.w.SetClient(opts.Client)
	first := syncNow(s.t, s.w)
	again := []ProofID{} // nil would select all
	for _, p := range first.Proofs() {
		if p.Result != nil && p.Result.Verdict == found.Unknown {
			again = append(again, p.ID) // was killed
		}
	}
	s.w.Verify(again, VerifyOptions{Force: true})
	s.w.Verify(nil, VerifyOptions{})
	got := syncNow(s.t, s.w)

	cold := NewWorkspace(opts, nil)
	defer cold.Close()
	for path, text := range s.buffers {
		cold.SetBuffer(path, []byte(text))
	}
	syncNow(s.t, cold)
	cold.Verify(nil, VerifyOptions{})
	want := syncNow(s.t, cold)
	if a, b := detail(got), detail(want); a != b {
		s.t.Errorf("session %d ends with\n%s\ncold:\n%s", s.seed, a, b)
	}
}

func detail(s *Snapshot) string {
	var out bytes.Buffer
	for _, p := range s.Proofs() {
		fmt.Fprintf(&out, "%s %d:%d fresh=%v %s", p.ID, p.Proof.Line, p.Proof.Column, p.Fresh, p.Reason)
		if p.Result != nil {
			fmt.Fprintf(&out, " %s %.8s", p.Result.Verdict, p.Result.Reason)
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}

// TestFreshnessReal takes fewer random steps, with real compilers, solvers and killed workers.
func TestFreshnessReal(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { runReal(t, rand.New(rand.NewPCG(seed, 7))) })
	}
}

func runReal(t *testing.T, random *rand.Rand) {
	dir := realTree(t)
	w := openReal(t, dir, Options{CacheDir: t.TempDir()}, pipeline.PoolOptions{Jobs: 2}, nil)
	syncNow(t, w)
	buffers := map[string]string{}
	for range 40 {
		name := pick(random, "inc/a.h", "inc/b.h", "first/a.h", "src/twice.c", "proofs/a_harness.c")
		path := filepath.Join(dir, name)
		text := fmt.Sprintf("#define LIMIT %d\n", pick(random, 5, 9, 10, 11, 30))
		switch filepath.Dir(name) {
		case "src":
			text = "int twice(int x) { return " + pick(random, "x + x", "2 * x", "3 * x", "x +") + "; }\n"
		case "proofs":
			text = strings.Repeat("\n", random.IntN(3)) + realProof(pick(random, "a.h", "b.h", "none.h"))
		}
		switch random.IntN(8) {
		case 0, 1, 2:
			buffers[path] = text
			w.SetBuffer(path, []byte(text))
		case 3, 4:
			put(t, dir, name, text)
			w.FilesChanged([]string{path})
		case 5:
			if text, open := buffers[path]; open {
				put(t, dir, name, text)
				w.Saved(path)
				w.CloseBuffer(path)
				delete(buffers, path)
			}
		case 6:
			if busy, _ := w.state.opts.Pool.Workers(); len(busy) > 0 {
				_ = syscall.Kill(busy[0], syscall.SIGKILL) // it may have ended
			}
		case 7:
			w.Cancel(nil)
		}
		time.Sleep(time.Duration(random.IntN(150)) * time.Millisecond)
	}
	for path, text := range buffers { // write the final texts to disk
		put(t, "/", path, text)
		w.Saved(path)
		w.CloseBuffer(path)
	}
	killed := []ProofID{} // nil would select all
	for _, p := range syncNow(t, w).Proofs() {
		if p.Result != nil && p.Result.Verdict == found.Unknown {
			killed = append(killed, p.ID)
		}
	}
	w.Verify(killed, VerifyOptions{Force: true})
	w.Verify(nil, VerifyOptions{})
	got := syncNow(t, w)
	project, err := project.Open(dir, project.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	proofs, problems := project.Proofs(nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 1, Command: workerCommand(t)})
	defer pool.Close()
	cold := pool.Run(t.Context(), pipeline.Batch{Settings: pipeline.Settings{Root: paths.Root(dir)}, Proofs: proofs,
		Define: project.Definitions}, nil)
	if len(cold) != len(got.Proofs()) {
		t.Fatalf("%d proofs, cold %d", len(got.Proofs()), len(cold))
	}
	for i, p := range got.Proofs() {
		if !p.Fresh {
			t.Errorf("%s is not fresh: %s", p.ID, p.Reason)
		}
		a, b := findingLines(p.Result), findingLines(&cold[i].Proof)
		if a != b {
			t.Errorf("%s ends as\n%scold:\n%s", p.ID, a, b)
		}
	}
}

func findingLines(p *diagnostics.Proof) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s\n", p.Name, p.Verdict)
	for _, e := range p.Errors {
		fmt.Fprintf(&out, "%s:%d: %s\n", e.File, e.Line, e.Message)
	}
	for _, f := range p.Obligations {
		fmt.Fprintf(&out, "%s:%d: %s %s\n", f.File, f.Line, f.Kind, f.Verdict)
	}
	return out.String()
}
