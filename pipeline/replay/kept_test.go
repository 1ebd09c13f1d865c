package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/cache"
)

// moduleThatReturns is a proof that returns a status.
func moduleThatReturns(status string) *instrumented {
	return &instrumented{text: []byte("target triple = \"x86_64-pc-linux-gnu\"\n" +
		"define void @unitproof_start() { ret void }\ndefine void @unitproof_at_end() { ret void }\n" +
		"define i32 @unitproof_entry() { ret i32 " + status + " }\n"), watch: addresses}
}

// TestCacheIsClearedMeanwhile checks that clearing the cache does not remove a program that is being built or run. When
// it has run, only the cached files remain.
func TestCacheIsClearedMeanwhile(t *testing.T) {
	compiler := tools(t)
	dir := filepath.Join(t.TempDir(), "cache")
	for _, reused := range []bool{false, true} {
		if reused {
			p, err := build(t.Context(), compiler, dir, moduleThatReturns("1"), nil)
			if err != nil {
				t.Fatal(err)
			}
			p.close()
		}
		p, err := build(t.Context(), compiler, dir, moduleThatReturns("1"), nil)
		if err != nil || p.reused != reused {
			t.Fatal(err, p.reused)
		}
		if err := Clean(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := readSymbols(p.path); err != nil {
			t.Error(err)
		}
		p.close()
		if left, err := os.ReadDir(filepath.Join(dir, "native")); err != nil || len(left) != 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
	stop, cleared := make(chan struct{}), make(chan error)
	go func() {
		var err error
		for {
			select {
			case <-stop:
				cleared <- err
				return
			case <-time.After(5 * time.Millisecond):
				if err2 := Clean(dir); err == nil {
					err = err2
				}
			}
		}
	}()
	for range 3 {
		if p, err := build(t.Context(), compiler, dir, moduleThatReturns("2"), nil); err != nil {
			t.Error(err)
		} else {
			p.close()
		}
	}
	close(stop)
	if err := <-cleared; err != nil {
		t.Error(err)
	}
}

// TestKeptProgramIsVerified checks that a cached program that was changed is rebuilt and not run.
func TestKeptProgramIsVerified(t *testing.T) {
	compiler := tools(t)
	dir := filepath.Join(t.TempDir(), "cache")
	module := moduleThatReturns
	make := func(status string) (kept string, reused bool) {
		t.Helper()
		p, err := build(t.Context(), compiler, dir, module(status), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		return filepath.Join(dir, "native", filepath.Base(p.path)), p.reused
	}
	one, _ := make("1")
	two, _ := make("2")
	if again, reused := make("1"); !reused || again != one || two == one {
		t.Fatal("nothing is kept")
	}
	good, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(two)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"another program": string(other), "nothing": "", "a script": "#!/bin/sh\n",
		"half of it": string(good[:len(good)/2]), "a byte": "\x00" + string(good[1:])} {
		if err := os.WriteFile(one, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		if kept, reused := make("1"); reused || !cache.Sealed(kept) {
			t.Errorf("%s in the place of a program is run", name)
		}
	}
	runtimes, _ := filepath.Glob(filepath.Join(dir, "native", "runtime-*.o"))
	if len(runtimes) != 1 {
		t.Fatal(runtimes)
	}
	if err := os.WriteFile(runtimes[0], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, reused := make("3"); reused || !cache.Sealed(runtimes[0]) {
		t.Error("an empty runtime is linked")
	}
	// A folder that others can write to is not used: the program is built elsewhere.
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	p, err := build(t.Context(), compiler, dir, module("1"), nil)
	if err != nil || p.reused || strings.HasPrefix(p.path, dir) {
		t.Fatalf("others can write to the folder: %v %+v", err, p)
	}
	p.close()
}
