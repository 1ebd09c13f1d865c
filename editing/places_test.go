package editing

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/vcgen/found"
)

// placesFake is a checker whose runs are ended by the test.
type placesFake struct {
	mu      sync.Mutex
	runs    map[string]chan error // active runs ("a here", "a away"); nil ends one, an error is a failure of the cluster
	options []string              // of the last run: coverage, explain
}

func (f *placesFake) check(ctx context.Context, j pipeline.Job) pipeline.Result {
	r, in := fakeResult(&j.Proof, func(path string) []byte {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		return append([]byte{}, text...)
	}, j.Define)
	j.Inputs(in)
	name, end := j.Proof.Name+" here", make(chan error)
	if j.Cluster.URL != "" {
		j.Left()
		name = j.Proof.Name + " away"
	}
	f.mu.Lock()
	f.runs[name] = end
	f.options = nil
	if j.Proof.Options.Coverage {
		f.options = append(f.options, "coverage")
	}
	if j.Proof.Options.Explain {
		f.options = append(f.options, "explain")
	}
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.runs, name)
	}()
	select {
	case err := <-end:
		return pipeline.Result{Proof: r, Lost: err, Covered: found.Coverage{}}
	case <-ctx.Done():
		return pipeline.Result{Proof: diagnostics.Proof{Verdict: found.Unknown, Why: found.Reason{Why: found.Interrupted}}}
	}
}

// until waits until exactly these runs are active.
func (f *placesFake) until(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
		f.mu.Lock()
		got = slices.Sorted(maps.Keys(f.runs))
		f.mu.Unlock()
		if slices.Equal(got, want) {
			return
		}
	}
	t.Fatalf("under way: %q, want %q", got, want)
}

// end ends an active run.
func (f *placesFake) end(name string, err error) {
	f.mu.Lock()
	end := f.runs[name]
	f.mu.Unlock()
	end <- err
}

// placesWorkspace returns a Workspace with the proofs a to e, room for one local run, and a cluster for two.
func placesWorkspace(t *testing.T) (f *placesFake, w *Workspace, focus func(string), messages func() string) {
	t.Helper()
	files := map[string]string{"unitproof.toml": "[check]\non = \"save\"\n"}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		files[name+"_harness.c"] = fakeProof()
	}
	dir := tree(t, files)
	f = &placesFake{runs: map[string]chan error{}}
	var mu sync.Mutex
	var received []string
	w = openChecked(t, Options{Folders: []string{dir}, check: f.check, jobs: 1, Trusted: true,
		Far: func(remote.Far) remote.Far {
			return remote.Far{Cluster: remote.Cluster{URL: "grpc://cluster:1", Jobs: 2}}
		}}, func(u Update) {
		mu.Lock()
		defer mu.Unlock()
		if u.Message != "" {
			received = append(received, u.Message)
		}
	})
	return f, w, func(name string) {
			path := filepath.Join(dir, name+"_harness.c")
			w.Focus([]string{path}, path, 1)
		}, func() string {
			mu.Lock()
			defer mu.Unlock()
			return strings.Join(received, "\n")
		}
}

// TestPlaces checks that invisible proofs run on the cluster. Visible ones run locally, even if they were on the
// cluster.
func TestPlaces(t *testing.T) {
	f, w, focus, _ := placesWorkspace(t)
	f.until(t, "a away", "b away")
	focus("c")
	f.until(t, "a away", "b away", "c here")
	// The only room for another local run is for the proof under the cursor.
	focus("a")
	f.until(t, "a here", "b away", "c here", "d away")
	f.end("b away", nil)
	f.until(t, "a here", "c here", "d away", "e away")
	for _, name := range []string{"e away", "d away", "c here", "a here"} {
		f.end(name, nil)
	}
	if got := overview(syncNow(t, w)); got != "a proved, b proved, c proved, d proved, e proved" {
		t.Error(got)
	}
	// A requested proof runs locally while there is room, and keeps its options when it moves.
	focus("")
	ids := []ProofID{}
	for _, p := range applied(t, w).Proofs() {
		ids = append(ids, p.ID)
	}
	w.Verify(ids[:2], VerifyOptions{Force: true, Coverage: true, Explain: true})
	f.until(t, "a away", "b here") // the last run of b took no time
	focus("a")
	f.until(t, "a here", "b here")
	f.mu.Lock()
	if got := strings.Join(f.options, " "); got != "coverage explain" {
		t.Errorf("what came home is run with %q", got)
	}
	f.mu.Unlock()
	f.end("a here", nil)
	f.end("b here", nil)
	f.until(t)
	// Cancelling also cancels runs on the cluster.
	focus("")
	w.Verify(ids[3:], VerifyOptions{Force: true})
	f.until(t, "d here", "e away")
	w.Cancel(nil)
	f.until(t)
	if got := overview(syncNow(t, w)); got != "a proved, b proved, c proved, d proved, e proved" {
		t.Error(got)
	}
}

// TestPlacesLost checks that failed tasks of the cluster run locally, and that a cluster without success is not used
// for a while.
func TestPlacesLost(t *testing.T) {
	f, w, _, messages := placesWorkspace(t)
	f.until(t, "a away", "b away")
	f.end("a away", errors.New("the worker ended"))
	f.until(t, "a here", "b away", "c away")
	f.end("a here", nil)
	f.end("b away", &remote.LeftAloneError{Err: errors.New("nobody is there")})
	f.until(t, "b here", "c away")
	f.end("b here", nil)
	f.until(t, "c away", "d here")
	f.end("d here", nil)
	f.until(t, "c away", "e here")
	f.end("c away", &remote.LeftAloneError{Err: errors.New("nobody is there")})
	f.until(t, "e here")
	f.end("e here", nil)
	f.until(t, "c here")
	f.end("c here", nil)
	if got := overview(syncNow(t, w)); got != "a proved, b proved, c proved, d proved, e proved" {
		t.Error(got)
	}
	want := "the cluster grpc://cluster:1 did not check all proofs; the rest is checked here: the worker ended.\n" +
		"the cluster grpc://cluster:1 did not check all proofs; the rest is checked here: nobody is there."
	if got := messages(); got != want {
		t.Errorf("told:\n%s\nwant:\n%s", got, want)
	}
}
