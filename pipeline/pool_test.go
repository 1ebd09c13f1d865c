package pipeline

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestCrowded checks the memory limit of all workers together.
func TestCrowded(t *testing.T) {
	opts := faulty(t, "hungry")
	opts.Jobs, opts.MaxMemory = 2, 300<<20
	pool := NewPool(opts)
	defer pool.Close()
	p := program(t, simple)
	p.MaxMemory = 10 << 30
	r := pool.Check(t.Context(), Job{Settings: Settings{Root: paths.Root(filepath.Dir(p.File))}, Proof: p})
	if want := "the memory limit of all checking processes together was reached"; r.Proof.Verdict != found.Unknown ||
		r.Proof.Reason != want {
		t.Errorf("%s: %s", r.Proof.Verdict, r.Proof.Reason)
	}
}

// TestWarm checks that one idle worker stays for a while and the others end soon.
func TestWarm(t *testing.T) {
	opts := faulty(t, "")
	opts.Jobs, opts.WarmTime = 2, 300*time.Millisecond
	pool := NewPool(opts)
	defer pool.Close()
	p := program(t, simple)
	if r := pool.Check(t.Context(), Job{Settings: Settings{Root: paths.Root(filepath.Dir(p.File))},
		Proof: p}); r.Proof.Verdict != found.Proved {
		t.Fatalf("%s: %s", r.Proof.Verdict, r.Proof.Reason)
	}
	count := func() int {
		pool.mu.Lock()
		defer pool.mu.Unlock()
		return len(pool.idle)
	}
	if count() != 1 {
		t.Errorf("%d idle workers", count())
	}
	for deadline := time.Now().Add(time.Minute); count() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the idle worker stays")
		}
	}
	// If none is left, a new one is started.
	if r := pool.Check(t.Context(), Job{Settings: Settings{Root: paths.Root(filepath.Dir(p.File))},
		Proof: p}); r.Proof.Verdict != found.Proved {
		t.Fatalf("%s: %s", r.Proof.Verdict, r.Proof.Reason)
	}
}
