package editing

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/workertest"
	"github.com/unitproof/unitproof/vcgen/found"
)

// workerCommand returns the command that starts this program as a worker.
func workerCommand(t testing.TB) []string {
	t.Helper()
	workertest.Sample(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, "worker"}
}

// openReal opens a Workspace with worker processes.
func openReal(t testing.TB, dir string, opts Options, pool pipeline.PoolOptions, more func(Update)) *Workspace {
	t.Helper()
	if _, err := exec.LookPath("clang-14"); err != nil {
		t.Fatal("clang-14 is not installed: make setup")
	}
	pool.Command = workerCommand(t)
	p := pipeline.NewPool(pool)
	t.Cleanup(p.Close)
	opts.Folders, opts.Trusted, opts.Pool = []string{dir}, true, p
	return openChecked(t, opts, more)
}

// started collects the proofs that are run.
type started struct {
	mu    sync.Mutex
	names []string
	last  map[ProofID]Phase
}

func (s *started) update(u Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[ProofID]Phase{}
	}
	for _, p := range u.Snapshot.Proofs() {
		if p.Phase == Running && s.last[p.ID] != Running {
			s.names = append(s.names, p.Proof.Name)
		}
		s.last[p.ID] = p.Phase
	}
}

func (s *started) taken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := s.names
	s.names = nil
	slices.Sort(names)
	return strings.Join(names, " ")
}

// realProof returns a proof that LIMIT, of a header, is at most 10, and that twice() doubles.
func realProof(header string) string {
	return "#include <unitproof.h>\n#include \"" + header +
		"\"\nint twice(int x);\nint main(void) {\n  int x = nd_int();\n  assume(x >= 0 && x < LIMIT);\n  sassert(x < " +
		"10);\n  sassert(twice(x) == 2 * x);\n  return 0;\n}\n"
}

const realConfig = "[compile]\nflags = [\"-Ifirst\", \"-Iinc\"]\n[[proof]]\nfile = \"proofs/*.c\"\nsources = " +
	"[\"src/twice.c\"]\n"

func realTree(t testing.TB) string {
	return tree(t, map[string]string{"unitproof.toml": realConfig, "proofs/a_harness.c": realProof("a.h"),
		"proofs/b_harness.c": realProof("b.h"),
		"inc/a.h":            "#define LIMIT 10\n", "inc/b.h": "#define LIMIT 5\n", "first/other.h": "",
		"src/twice.c": "int twice(int x) { return x + x; }\n"})
}

// TestRealDependencies checks that each change verifies exactly the proofs that depend on it.
func TestRealDependencies(t *testing.T) {
	workertest.Race(t)
	dir := realTree(t)
	var runs started
	w := openReal(t, dir, Options{CacheDir: t.TempDir()}, pipeline.PoolOptions{Jobs: 2}, runs.update)
	at := func(name string) string { return filepath.Join(dir, name) }
	expect := func(what, want, ran string) {
		t.Helper()
		s := syncNow(t, w)
		if got := overview(s); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
			for _, p := range s.Proofs() {
				if p.Result != nil {
					t.Logf("%s: %s", p.ID, p.Result.Reason)
				}
			}
		}
		if got := runs.taken(); got != ran {
			t.Errorf("%s: runs of %q, want %q", what, got, ran)
		}
	}
	change := func(name, text string) {
		t.Helper()
		put(t, dir, name, text)
		w.FilesChanged([]string{at(name)})
	}
	expect("opened", "a proved, b proved", "a b")
	for path, hash := range w.Snapshot().Proofs()[0].Rests {
		if filepath.Base(path) == "unitproof.h" && hash != (ondisk.Hash{}) {
			t.Errorf("a result rests on %s, which other versions of this program write", path)
		}
	}
	change("inc/a.h", "#define LIMIT 11\n")
	expect("a header", "a failed, b proved", "a")
	change("src/twice.c", "int twice(int x) { return 3 * x; }\n")
	expect("the code under proof", "a failed, b failed", "a b")
	change("src/twice.c", "int twice(int x) { return x + x; }\n")
	change("inc/a.h", "#define LIMIT 10\n")
	expect("mended", "a proved, b proved", "a b")

	// A new header in a folder that is searched earlier.
	change("first/a.h", "#define LIMIT 12\n")
	expect("a header hides another", "a failed, b proved", "a")
	if err := os.Remove(at("first/a.h")); err != nil {
		t.Fatal(err)
	}
	w.FilesChanged([]string{at("first/a.h")})
	expect("and goes", "a proved, b proved", "a")

	// A missing header leaves no list of files.
	change("proofs/b_harness.c", realProof("late/b.h"))
	expect("a header is missing", "a proved, b error", "b")
	if p := w.Snapshot().Proofs()[1]; p.Earlier == nil || p.Earlier.Verdict != found.Proved {
		t.Errorf("the earlier result is gone")
	}
	if err := os.MkdirAll(at("inc/late"), 0o755); err != nil {
		t.Fatal(err)
	}
	change("inc/late/b.h", "#define LIMIT 3\n")
	expect("it appears", "a proved, b proved", "b")

	// Unsaved texts, including headers.
	change("unitproof.toml", realConfig+"[check]\non = \"idle\"\n")
	expect("idle", "a proved, b proved", "")
	w.SetBuffer(at("inc/a.h"), []byte("#define LIMIT 20\n"))
	expect("an unsaved header", "a failed, b proved", "a")
	if f := w.Snapshot().Proofs()[0].Result.Obligations; len(f) == 0 ||
		!slices.ContainsFunc(w.Snapshot().Proofs()[0].Result.Obligations,
			func(f2 diagnostics.Finding) bool { return f2.Verdict == found.Failed && f2.Line == 7 }) {
		t.Errorf("findings: %+v", f)
	}
	w.SetBuffer(at("proofs/b_harness.c"), []byte("\n\n"+realProof("a.h")))
	expect("an unsaved harness", "a failed, b failed", "b")
	w.SetBuffer(at("proofs/b_harness.c"), []byte(strings.Replace(realProof("a.h"), "assume(", "assume((", 1)))
	expect("a syntax error", "a failed, b error", "b")
	w.CloseBuffer(at("proofs/b_harness.c"))
	w.CloseBuffer(at("inc/a.h"))
	expect("closed", "a proved, b proved", "a b")
}

// TestContractsWarm edits one of 50 functions with contracts. Each function calls the one before it. After an edit of
// a body only its own proof queries the solver; after an edit of a contract, also that of its caller.
func TestContractsWarm(t *testing.T) {
	const functions = 50
	text := func(edited, with string) string {
		var b strings.Builder
		b.WriteString("#include <unitproof.h>\n")
		for i := range functions {
			ensures, body := fmt.Sprintf("__CPROVER_return_value <= x + %d", i), "x"
			if i > 0 {
				body = fmt.Sprintf("f%d(x) + (x > %d)", i-1, 10*i)
			}
			switch edited {
			case fmt.Sprintf("body of f%d", i):
				body = with
			case fmt.Sprintf("contract of f%d", i):
				ensures = with
			}
			fmt.Fprintf(&b, "unsigned f%d(unsigned x)\n__CPROVER_requires(x < 1000)\n__CPROVER_ensures(%s)\n"+
				"{\n  return %s;\n}\n", i, ensures, body)
		}
		return b.String()
	}
	dir := tree(t, map[string]string{"unitproof.toml": "[[proof]]\nfile = \"chain.c\"\n", "chain.c": text("", "")})
	w := openReal(t, dir, Options{CacheDir: t.TempDir()}, pipeline.PoolOptions{Jobs: 2}, nil)
	expect := func(what, asked, failed string) {
		t.Helper()
		proofs := syncNow(t, w).Proofs()
		if len(proofs) != functions {
			t.Fatalf("%s: %d proofs", what, len(proofs))
		}
		var asking, failing []string
		for _, p := range proofs {
			switch {
			case p.Result == nil:
				t.Fatalf("%s: %s has no result", what, p.Proof.Name)
			case p.Result.Verdict == found.Failed:
				failing = append(failing, p.Proof.Name)
			case p.Result.Verdict != found.Proved:
				t.Errorf("%s: %s is %s: %s", what, p.Proof.Name, p.Result.Verdict, p.Result.Reason)
			}
			if p.Result.Stats.SolverQueries > 0 {
				asking = append(asking, p.Proof.Name)
			}
		}
		if got := strings.Join(asking, " "); asked != "all" && got != asked || asked == "all" && len(asking) != functions {
			t.Errorf("%s: the solver is asked by %q, want %q", what, got, asked)
		}
		if got := strings.Join(failing, " "); got != failed {
			t.Errorf("%s: %q failed, want %q", what, got, failed)
		}
	}
	edit := func(edited, with string) {
		t.Helper()
		put(t, dir, "chain.c", text(edited, with))
		w.FilesChanged([]string{filepath.Join(dir, "chain.c")})
	}
	expect("cold", "all", "")
	edit("body of f20", "f19(x) + (x > 7)")
	expect("a body", "chain.f20", "")
	edit("body of f20", "f19(x) + 2")
	expect("a wrong body", "chain.f20", "chain.f20")
	edit("contract of f20", "__CPROVER_return_value <= x + 19 + (x > 200)")
	expect("a contract", "chain.f20 chain.f21", "")
	edit("", "")
	expect("undone", "", "")
}

// TestRealFaults checks that a fault of a worker affects the result of one proof at most.
func TestRealFaults(t *testing.T) {
	workertest.Race(t)
	dir := realTree(t)
	hard := "#include <unitproof.h>\nint main(void) { for (volatile unsigned i = 0; i < 1u << 30; i++) " +
		"sassert(nd_int() != 7 || i != 77777777); }\n"
	put(t, dir, "proofs/hard_harness.c", hard)
	put(t, dir, "unitproof.toml", realConfig+"[check]\ntimeout = \"50s\"\n")
	busy := make(chan bool, 1)
	pool := pipeline.PoolOptions{Jobs: 2, Nice: 5}
	w := openReal(t, dir, Options{}, pool, func(u Update) {
		easy := true
		for _, p := range u.Snapshot.Proofs() {
			easy = easy && (p.Proof.Name == "hard") == (p.Phase == Running)
		}
		if easy && len(u.Snapshot.Proofs()) == 3 {
			select {
			case busy <- true:
			default:
			}
		}
	})
	wait := func() {
		t.Helper()
		select {
		case <-busy:
		case <-time.After(time.Minute):
			t.Fatal("the hard proof is not left alone")
		}
	}
	workers := func() (pids []int) {
		pids, _ = w.state.opts.Pool.Workers()
		return pids
	}
	// A run is reported before its worker has started, which takes time on a loaded machine.
	one := func(before int) int {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if pids := workers(); len(pids) == 1 && pids[0] != before {
				return pids[0]
			} else if time.Now().After(deadline) {
				t.Fatalf("busy are the workers %d, the one before was %d", pids, before)
			}
		}
	}
	wait()
	first := one(0)
	if nice, err := syscall.Getpriority(syscall.PRIO_PROCESS, first); err != nil || 20-nice < 5 {
		t.Errorf("niceness %d, %v", 20-nice, err)
	}
	// Killed by another process: the run is repeated once.
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(one(first), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s := syncNow(t, w)
	if got := overview(s); got != "a proved, b proved, hard unknown" {
		t.Errorf("%q", got)
	}
	if reason := s.Proofs()[2].Result.Reason; !strings.Contains(reason, "signal 9") {
		t.Errorf("reason: %s", reason)
	}
	// Cancelled: the worker and its child processes are gone.
	w.Verify([]ProofID{s.Proofs()[2].ID}, VerifyOptions{Force: true})
	third := one(0)
	w.Cancel(nil)
	s = syncNow(t, w)
	if p := s.Proofs()[2]; p.Phase != Idle || p.Result.Verdict != found.Unknown {
		t.Errorf("after cancelling: %s %s", p.Phase, p.Result.Verdict)
	}
	if !ends(third) {
		t.Error("the cancelled worker lives on")
	}
}

// TestTwoWorkspaces checks that two Workspaces on one folder do not interfere.
func TestTwoWorkspaces(t *testing.T) {
	dir, cache := realTree(t), t.TempDir()
	one := openReal(t, dir, Options{CacheDir: cache}, pipeline.PoolOptions{Jobs: 1}, nil)
	two := openReal(t, dir, Options{CacheDir: cache}, pipeline.PoolOptions{Jobs: 1}, nil)
	one.SetBuffer(filepath.Join(dir, "inc/a.h"), []byte("#define LIMIT 30\n"))
	one.Verify(nil, VerifyOptions{})
	for _, c := range []struct {
		w    *Workspace
		want string
	}{{one, "a failed, b proved"}, {two, "a proved, b proved"}} {
		if got := overview(syncNow(t, c.w)); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	path := put(t, dir, "inc/a.h", "#define LIMIT 30\n")
	one.Saved(path)
	two.FilesChanged([]string{path})
	for _, w := range []*Workspace{one, two} {
		if got := overview(syncNow(t, w)); got != "a failed, b proved" {
			t.Errorf("%q", got)
		}
	}
}

// TestStreamed checks that a violation is reported before its proof is done.
func TestStreamed(t *testing.T) {
	dir := tree(t, map[string]string{"s_harness.c": "#include <unitproof.h>\nint main(void) { int x = nd_int(); " +
		"sassert(x != 3); unsigned y = nd_uint(), z = nd_uint();" +
		" assume(y > 1 && z > 1 && y < 65536 && z < 65536); sassert(y * z != 2147483647); sassert((y ^ z) != 77 || x != " +
		"2); return 0; }\n"})
	early := false
	w := openReal(t, dir, Options{}, pipeline.PoolOptions{Jobs: 1}, func(u Update) {
		for _, p := range u.Snapshot.Proofs() {
			if p.Phase == Running && len(p.Partial) > 0 && p.Partial[0].Verdict == found.Failed {
				early = true
			}
		}
	})
	s := syncNow(t, w)
	if !early {
		t.Error("no violation came before the result")
	}
	if p := s.Proofs()[0]; len(p.Partial) != 0 || p.Result.Verdict != found.Failed {
		t.Errorf("%d partial, %s", len(p.Partial), p.Result.Verdict)
	}
}
