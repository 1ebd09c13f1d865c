package editing

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline"
)

// BenchmarkScan lists 10,000 C files without proofs, of about 4 kB each.
func BenchmarkScan(b *testing.B) {
	files := map[string]string{}
	body := strings.Repeat("static int helper(int x) { return x * 2 + 1; } /* main thing to assume here */\n", 50)
	for i := range 10_000 {
		files[fmt.Sprintf("d%d/s%d/f%d.c", i%20, i%100, i)] = body
	}
	files["a_harness.c"] = fakeProof()
	dir := tree(b, files)
	f := &fakeChecker{}
	for b.Loop() {
		w := openFake(b, f, Options{Folders: []string{dir}})
		if n := len(applied(b, w).Proofs()); n != 1 {
			b.Fatalf("%d proofs", n)
		}
		w.Close()
	}
}

// BenchmarkKeystroke measures an edit of a harness among 10,000 other files, until its update was delivered.
func BenchmarkKeystroke(b *testing.B) {
	files := map[string]string{}
	for i := range 10_000 {
		files[fmt.Sprintf("d%d/s%d/f%d.c", i%20, i%100, i)] = "int f;\n"
	}
	for i := range 150 {
		files[fmt.Sprintf("proofs/p%d_harness.c", i)] = fakeProof("../x.h")
	}
	files["x.h"] = "int x;\n"
	dir := tree(b, files)
	w := openFake(b, &fakeChecker{}, Options{Folders: []string{dir}})
	syncNow(b, w)
	for _, name := range []string{"proofs/p7_harness.c", "x.h"} {
		b.Run(filepath.Ext(name)[1:], func(b *testing.B) {
			n := 0
			for b.Loop() {
				n++
				w.SetBuffer(filepath.Join(dir, name), []byte(fakeProof("../x.h")+strings.Repeat("\n", n%7)))
				applied(b, w)
			}
		})
	}
}

// benchTree returns a folder with n small proofs over one header and one source.
func benchTree(b testing.TB, n int) string {
	files := map[string]string{"unitproof.toml": realConfig, "inc/a.h": "#define LIMIT 10\n",
		"src/twice.c": "int twice(int x) { return x + x; }\n"}
	for i := range n {
		files[fmt.Sprintf("proofs/p%d_harness.c", i)] = strings.Replace(realProof("a.h"), "2 * x",
			fmt.Sprintf("2 * x || x == %d", 1000+i), 1)
	}
	return tree(b, files)
}

// BenchmarkSave measures the time from the save of a small proof to its result, with a warm worker and cache.
func BenchmarkSave(b *testing.B) {
	dir := benchTree(b, 3)
	w := openReal(b, dir, Options{CacheDir: b.TempDir()}, pipeline.PoolOptions{Jobs: 2}, nil)
	syncNow(b, w)
	for n := 0; b.Loop(); n++ {
		text := strings.Replace(realProof("a.h"), "x < 10", fmt.Sprintf("x < %d", 11+n), 1)
		path := put(b, dir, "proofs/p0_harness.c", text)
		w.SetBuffer(path, []byte(text))
		w.Saved(path)
		syncNow(b, w)
	}
}

// BenchmarkHeader measures the time from the save of a header under 20 proofs to the last result. The metric
// "visible-ms" is the time of the visible proof.
func BenchmarkHeader(b *testing.B) {
	dir := benchTree(b, 20)
	var saved atomic.Int64
	var seen atomic.Int64
	id := ProofID("")
	w := openReal(b, dir, Options{CacheDir: b.TempDir()}, pipeline.PoolOptions{Jobs: 2}, func(u Update) {
		if p := u.Snapshot.Proof(id); p != nil && p.Fresh && seen.Load() == 0 && saved.Load() != 0 {
			seen.Store(time.Now().UnixNano() - saved.Load())
		}
	})
	s := syncNow(b, w)
	last := s.Proofs()[len(s.Proofs())-1]
	id = last.ID
	w.Focus([]string{last.Proof.File}, last.Proof.File, last.Proof.Line)
	var sum int64
	n := 0
	for b.Loop() {
		n++
		path := put(b, dir, "inc/a.h", fmt.Sprintf("#define LIMIT %d\n", 10-n%9))
		seen.Store(0)
		w.FilesChanged([]string{path})
		saved.Store(time.Now().UnixNano())
		syncNow(b, w)
		sum += seen.Load()
	}
	b.ReportMetric(float64(sum)/float64(n)/1e6, "visible-ms")
}

// BenchmarkReopen opens a workspace of 150 proofs with a warm cache.
func BenchmarkReopen(b *testing.B) {
	dir, cache := benchTree(b, 150), b.TempDir()
	open := func() {
		w := openReal(b, dir, Options{CacheDir: cache}, pipeline.PoolOptions{Jobs: 2}, nil)
		for _, p := range syncNow(b, w).Proofs() {
			if !p.Fresh {
				b.Fatalf("%s is not fresh", p.ID)
			}
		}
		w.Close()
	}
	open()
	for b.Loop() {
		open()
	}
}

// TestFootprint measures the memory for 150 proofs, or for 40.
func TestFootprint(t *testing.T) {
	proofs, limit := 150, uint64(20<<20)
	if testing.Short() {
		proofs, limit = 40, 8<<20
	}
	before := heap()
	w := openReal(t, benchTree(t, proofs), Options{CacheDir: t.TempDir()}, pipeline.PoolOptions{Jobs: 2}, nil)
	s := syncNow(t, w)
	rests := 0
	for _, p := range s.Proofs() {
		rests += len(p.Rests)
	}
	used := heap() - before
	t.Logf("%d proofs rest on %d paths each and take %d kB", len(s.Proofs()), rests/len(s.Proofs()), used>>10)
	if used > limit {
		t.Errorf("%d bytes", used)
	}
	runtime.KeepAlive(s)
}
