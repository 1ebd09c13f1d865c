package clang

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cache"
)

// BenchmarkBuild measures Build of a small proof in one file, which starts one process.
func BenchmarkBuild(b *testing.B) {
	tc, err := Find(context.Background(), "")
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	proof := `#include <unitproof.h>
int main(void) { int x = nd_int(); assume(x > 0 && x < 100); sassert(x + 1 > x); return 0; }
`
	if err := cache.WriteFile(dir+"/p.c", []byte(proof)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := tc.Build(context.Background(), Request{Entry: "main", EntryUnit: Unit{File: "p.c", Dir: dir},
			Checks: allChecks}); err != nil {
			b.Fatal(err)
		}
	}
}
