package editing

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestCostFollowsChanges checks that the cost of an edit and of a save is independent of other open documents, and
// that opening them starts no run. Costs are runs, bytes sent to runs, and allocated bytes, which are independent of
// the machine's speed.
func TestCostFollowsChanges(t *testing.T) {
	for _, n := range []int{100, 500} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			files := map[string]string{"x.h": "int x;\n", "unitproof.toml": "[check]\non = \"idle\"\n"}
			for i := range n {
				files[fmt.Sprintf("p%d_harness.c", i)] = fakeProof("x.h")
			}
			dir, f := tree(t, files), &fakeChecker{}
			w := openFake(t, f, Options{Folders: []string{dir}})
			path := func(i int) string { return filepath.Join(dir, fmt.Sprintf("p%d_harness.c", i)) }
			opened := 0
			open := func(count int) {
				for ; opened < count; opened++ {
					w.SetBuffer(path(opened), []byte(fakeProof("x.h")))
				}
				syncNow(t, w)
			}
			syncNow(t, w)
			if runs := f.taken(); len(runs) != n {
				t.Errorf("%d runs of %d proofs at first", len(runs), n)
			}
			open(1)
			alone := costOfSave(t, f, w, path(0))
			open(n)
			if runs := f.taken(); len(runs) != 0 {
				t.Errorf("opening ran %q", runs)
			}
			among := costOfSave(t, f, w, path(0))
			t.Logf("a save allocates %d bytes with one document open, %d with all", alone, among)
			// The number of steps varies with the load.
			if among > 2*alone {
				t.Errorf("a save allocates %d bytes with one document open, %d with all", alone, among)
			}
		})
	}
}

// costOfSave returns the bytes allocated for an edit and a save of a document on which one proof depends.
func costOfSave(t *testing.T, f *fakeChecker, w *Workspace, path string) uint64 {
	t.Helper()
	expect := func(what string, sent int) {
		t.Helper()
		if runs := f.taken(); !slices.Equal(runs, []string{"p0"}) || f.sent != sent {
			t.Errorf("%s ran %q, and sent %d bytes of documents, want %d", what, runs, f.sent, sent)
		}
		f.sent = 0
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const times = 4
	for i := range times {
		text := fakeProof("x.h") + strings.Repeat("\n", i+1)
		w.SetBuffer(path, []byte(text))
		syncNow(t, w)
		expect("an edit", len(text))
		text += "/* saved */"
		put(t, filepath.Dir(path), filepath.Base(path), text)
		w.send(func() { // in one step, so that no run starts in between
			w.state.setBuffer(path, []byte(text))
			w.state.saved(path)
		})
		syncNow(t, w)
		expect("a save", 0)
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / times
}
