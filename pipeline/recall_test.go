package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestRecall checks that an unchanged proof is answered without a worker and like a check, and that a changed proof is
// checked.
func TestRecall(t *testing.T) {
	c := newCacheTest(t)
	dir := filepath.Dir(c.proof.File)
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		past := time.Now().Add(-time.Hour) // files written while clang runs are not cached
		if err := os.Chtimes(path, past, past); err != nil {
			t.Fatal(err)
		}
	}
	c.proof.Options.Coverage = true
	// The command cannot be started: an error shows that a worker was needed.
	without := PoolOptions{Jobs: 1, Command: []string{"/nowhere/unitproof", "worker"}}
	recalled := func(s Settings, p project.Proof) (Result, bool) {
		r := Run(t.Context(), Batch{Settings: s, Proofs: []project.Proof{p}}, without, nil)[0]
		return r, !strings.Contains(r.Proof.Reason, "start a worker")
	}
	text := strings.Replace(twoParts, "#include <stdlib.h>", "#include <stdlib.h>\n#include \"limit.h\"", 1)
	text = strings.Replace(text, "n <= 5", "n <= LIMIT", 1)
	write("limit.h", "#define LIMIT 5\n")
	write("p_harness.c", text)
	if _, ok := recalled(c.settings, c.proof); ok {
		t.Fatal("something is known of a new proof")
	}
	cold := NewChecker(c.settings).Check(t.Context(), c.proof, nil)
	warm, ok := recalled(c.settings, c.proof)
	if !ok {
		t.Fatal("a worker was wanted although nothing changed")
	}
	c.same("recalled", warm.Proof, cold.Proof)
	if cold.Proof.Verdict != found.Failed || len(warm.Covered) == 0 || warm.Proof.Stats.SolverQueries != 0 ||
		warm.Proof.Stats.CacheHits == 0 {
		t.Errorf("%s, %+v", cold.Proof.Verdict, warm.Proof.Stats)
	}
	for _, f := range warm.Proof.Obligations {
		if f.Verdict == found.Failed && f.Run.Tape == nil {
			t.Errorf("the execution of %s is gone", f.ID)
		}
	}

	for name, change := range map[string]func(*Settings, *project.Proof){
		"another entry": func(_ *Settings, p *project.Proof) { p.Entry = "walk" },
		"another bound": func(_ *Settings, p *project.Proof) { p.Options.Unwind = 2 },
		"no reports": func(_ *Settings,
			p *project.Proof) {
			p.Options.Disable = map[vcgen.Mechanism]bool{vcgen.Reports: true}
		},
		"another flag": func(_ *Settings, p *project.Proof) { p.EntryUnit.Flags = []string{"-DX"} },
		"another file beside": func(_ *Settings, p *project.Proof) {
			p.Sources = []project.Unit{{File: filepath.Join(dir,
				"more.c")}}
		},
		"counterexamples runs": func(s *Settings, _ *project.Proof) { s.Replay = true },
		"measuring":            func(s *Settings, _ *project.Proof) { s.Measure = true },
		"another solver":       func(s *Settings, _ *project.Proof) { s.Solver = "z3" },
		"no cache":             func(s *Settings, _ *project.Proof) { s.CacheDir = "" },
	} {
		s, p := c.settings, c.proof
		change(&s, &p)
		if _, ok := recalled(s, p); ok {
			t.Errorf("%s: answered from what was kept of another question", name)
		}
	}
	for name, change := range map[string]func(){
		"the header":                     func() { write("limit.h", "#define LIMIT 4\n") },
		"the file":                       func() { write("p_harness.c", strings.Replace(text, "21", "22", 1)) },
		"a header that may hide another": func() { write("stdlib.h", "#include_next <stdlib.h>\n") },
		"a header that is gone":          func() { os.Remove(filepath.Join(dir, "limit.h")) },
	} {
		change()
		if _, ok := recalled(c.settings, c.proof); ok {
			t.Errorf("%s: answered from what was kept before the change", name)
		}
		os.Remove(filepath.Join(dir, "stdlib.h"))
		write("limit.h", "#define LIMIT 5\n")
		write("p_harness.c", text)
		if _, ok := recalled(c.settings, c.proof); !ok {
			t.Errorf("%s: not recalled after it was undone", name)
		}
	}
}

// TestRecallCancelled checks that an interrupt ends a run that would only recall results.
func TestRecallCancelled(t *testing.T) {
	c := newCacheTest(t)
	c.check(twoParts)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := Run(ctx, Batch{Settings: c.settings, Proofs: []project.Proof{c.proof}}, PoolOptions{Jobs: 1}, nil)
	if !Interrupted(&r[0].Proof) {
		t.Errorf("%s: %s", r[0].Proof.Verdict, r[0].Proof.Reason)
	}
}

// TestRoom checks that a proof gets a worker that leaves it most of its memory limit, whatever the proof before took.
func TestRoom(t *testing.T) {
	pool := NewPool(PoolOptions{Jobs: 1})
	defer pool.Close()
	p := program(t, simple)
	check := func(most int64) Result {
		p.MaxMemory = most
		return pool.Check(t.Context(), Job{Settings: Settings{Root: paths.Root(filepath.Dir(p.File))}, Proof: p})
	}
	idleWorkers := func() (workers []int) {
		pool.mu.Lock()
		defer pool.mu.Unlock()
		for _, w := range pool.idle {
			workers = append(workers, w.cmd.Process.Pid)
		}
		return workers
	}
	proved := func(most int64) {
		t.Helper()
		if r := check(most).Proof; r.Verdict != found.Proved {
			t.Fatalf("%s: %s", r.Verdict, r.Reason)
		}
	}
	proved(4 << 30)
	first := idleWorkers()
	if len(first) != 1 {
		t.Fatalf("%d workers are kept", len(first))
	}
	size := ownSize(first[0])
	if size < 1<<20 {
		t.Fatalf("a worker of %d bytes", size)
	}
	// The worker may grow or shrink a little while it is idle: both limits are far from its size.
	for _, most := range []int64{4 << 30, 10 * size} {
		if proved(most); !slices.Equal(idleWorkers(), first) {
			t.Errorf("with %d bytes allowed, a worker that has %d is replaced", most, size)
		}
	}
	// Whether so little memory decides the proof depends on the machine; that the worker is replaced does not.
	check(size * 5 / 4)
	if slices.Equal(idleWorkers(), first) {
		t.Errorf("a worker that has %d bytes does a proof that may have %d", size, size*5/4)
	}
}
