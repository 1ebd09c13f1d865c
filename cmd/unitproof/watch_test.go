package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/remote/remotetest"
	"github.com/unitproof/unitproof/vcgen/found"
)

// watching is an active call of watch.
type watching struct {
	t      *testing.T
	dir    string
	events chan diagnostics.Event
	text   lockedBuffer
	status chan int
	stop   context.CancelFunc
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

const watchedProof = "#include <unitproof.h>\n#include \"a.h\"\nint main(void) {\n  int x = nd_int();\n  assume(x " +
	">= 0 && x < LIMIT);\n  sassert(x < 10);\n  return 0;\n}\n"

// startWatch calls watch in a folder with one proof.
func startWatch(t *testing.T, args ...string) *watching {
	w := &watching{t: t, dir: t.TempDir(), events: make(chan diagnostics.Event, 100), status: make(chan int, 1)}
	w.write("unitproof.toml", "[compile]\nflags = [\"-Iinc\"]\n")
	w.write("inc/a.h", "#define LIMIT 10\n")
	w.write("a_harness.c", watchedProof)
	t.Chdir(w.dir)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	w.stop = stop
	r, out := io.Pipe()
	go func() {
		for lines := bufio.NewReader(r); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			_, _ = w.text.Write(line) // cannot fail
			var e diagnostics.Event
			if json.Unmarshal(line, &e) == nil {
				w.events <- e
			}
		}
	}()
	go func() { w.status <- run(ctx, append([]string{"watch"}, args...), cli.Streams{Out: out, Err: &w.text}) }()
	t.Cleanup(func() {
		stop()
		select {
		case code := <-w.status:
			if code != cli.ExitInterrupted {
				t.Errorf("exit status %d", code)
			}
		case <-time.After(time.Minute):
			t.Error("watch does not end")
		}
		out.Close()
	})
	return w
}

func (w *watching) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// until reads events up to one of a kind, which it returns with the kinds before it.
func (w *watching) until(kind string) (diagnostics.Event, string) {
	w.t.Helper()
	var before []string
	deadline := time.After(2 * time.Minute)
	for {
		select {
		case e := <-w.events:
			if e.Event == kind {
				return e, strings.Join(before, " ")
			}
			before = append(before, e.Event)
		case <-deadline:
			w.t.Fatalf("no event %s; %v before\n%s", kind, before, w.text.String())
		}
	}
}

// TestWatchEvents checks the events of watch --json: each run, and the changed files.
func TestWatchEvents(t *testing.T) {
	w := startWatch(t, "--json")
	expect := func(counts map[found.Verdict]int) {
		t.Helper()
		e, before := w.until(diagnostics.EventRunFinished)
		if len(e.Counts) != len(counts) {
			t.Errorf("counts %v, want %v", e.Counts, counts)
		}
		for v, n := range counts {
			if e.Counts[v] != n {
				t.Errorf("counts %v, want %v", e.Counts, counts)
			}
		}
		if !strings.Contains(before, "proof-started") || !strings.HasSuffix(before, "proof") {
			t.Errorf("before the end: %s", before)
		}
	}
	expect(map[found.Verdict]int{found.Proved: 1})
	w.write("inc/a.h", "#define LIMIT 11\n")
	if e, before := w.until(diagnostics.EventChanged); len(e.Files) != 1 || e.Files[0] != "inc/a.h" || before != "" {
		t.Errorf("changed: %v after %q", e.Files, before)
	}
	expect(map[found.Verdict]int{found.Failed: 1})
	// Another proof appears: it alone is run.
	w.write("sub/b_harness.c", strings.Replace(watchedProof, "x < 10", "x < 11", 1))
	if e, _ := w.until(diagnostics.EventProof); e.Name != "b" || e.Proof.Verdict != found.Proved ||
		e.Proof.File != "sub/b_harness.c" {
		t.Errorf("%s: %+v", e.Name, e.Proof)
	}
	w.until(diagnostics.EventRunFinished)
	w.write("unitproof.toml", "[compile]\nflags = [\"-Iinc\"\n")
	if e, _ := w.until(diagnostics.EventError); e.File != "unitproof.toml" ||
		!strings.Contains(e.Message, "unitproof.toml:2") {
		t.Errorf("error: %+v", e)
	}
}

// TestWatchText checks the text output of watch.
func TestWatchText(t *testing.T) {
	w := startWatch(t)
	wait := func(want string) {
		t.Helper()
		for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(w.text.String(),
			want); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("no %q in\n%s", want, w.text.String())
			}
		}
	}
	wait("1 proof: 1 proved")
	w.write("inc/a.h", "#define LIMIT 11\n")
	wait("changed: inc/a.h\n")
	wait("a_harness.c:6:3: failed [assertion]")
	wait("1 proof: 1 failed")
	if err := os.Remove("a_harness.c"); err != nil {
		t.Fatal(err)
	}
	wait("a is gone\n")
	wait("no unit proof was found in ")
}

// TestWatchCluster checks that a cluster does all invisible proofs, which are all here, and that failed tasks run
// locally.
func TestWatchCluster(t *testing.T) {
	t.Setenv(remote.EnvTimeout, "1m")
	cluster := remotetest.StartCluster(t, 1)
	w := startWatch(t, "--json", "--remote", cluster.URL)
	expect := func(verdict found.Verdict, executed int) {
		t.Helper()
		e, _ := w.until(diagnostics.EventRunFinished)
		if n, _ := cluster.Counts(); e.Counts[verdict] != 1 || n != executed {
			t.Errorf("counts %v, %d executed, want %s and %d", e.Counts, n, verdict, executed)
		}
	}
	expect(found.Proved, 1)
	cluster.Befall(remotetest.Vanished)
	w.write("inc/a.h", "#define LIMIT 11\n")
	if e, _ := w.until(diagnostics.EventError); !strings.Contains(e.Message, "is checked here: it answers Unavailable") {
		t.Error(e.Message)
	}
	expect(found.Failed, 0)
}
