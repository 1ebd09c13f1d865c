package replay

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

func compile(t *testing.T, source string) []byte {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "p.c")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("clang-14", "-S", "-emit-llvm", "-g", "-O1", "-Xclang", "-disable-llvm-passes",
		"-fno-builtin",
		"-fsanitize=signed-integer-overflow", "-fno-sanitize-recover=all", file, "-o", "-").Output()
	if err != nil {
		t.Fatalf("clang-14: %v", err)
	}
	return out
}

func tools(t *testing.T) *clang.Toolchain {
	t.Helper()
	c, err := clang.Find(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

const prelude = `
#include <stdbool.h>
#include <stdlib.h>
void assume(bool); void sassert(bool); int nd_int(void); unsigned nd_uint(void);
`

// TestExploration checks which violations random inputs find.
func TestExploration(t *testing.T) {
	tests := []struct {
		name, source string
		kind         found.Kind // "" if there is no violation
	}{
		{"holds", `int main(void) { unsigned x = nd_uint(); assume(x < 300); sassert(x + 1 > x); return 0; }`, ""},
		{"assertion", `int main(void) { unsigned x = nd_uint(); sassert(x + 1 > x); return 0; }`, found.Assertion},
		{"heap overflow", `int main(void) { char *p = malloc(4); if (!p) return 0; unsigned i = nd_uint(); assume(i <= 4); p[i] = 1; free(p); return 0; }`, found.OutOfBoundsWrite},
		{"null", `int main(void) { char *p = malloc(4); *p = 1; free(p); return 0; }`, found.NullDereference},
		{"signed overflow", `int main(void) { int x = nd_int(); return x + 1; }`, found.SignedOverflow},
		{"exit and abort are ends", `int main(void) { if (nd_int() & 1) exit(3); abort(); }`, ""},
	}
	kept := t.TempDir() // the part that all native programs share is built once
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := compile(t, prelude+tt.source)
			m, err := clangir.Read(text, llvmir.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			opts := vcgen.Options{Semantics: found.Semantics{Checks: found.DefaultChecks(), MallocMayFail: true}}
			res, err := Exploration{Clang: tools(t), Module: text, Program: m, Entry: "main", Options: opts,
				CacheDir: kept, Duration: 2 * time.Second, Most: 1}.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if res.Impossible != "" || len(res.Unconfirmed) > 0 {
				t.Fatalf("%+v", res)
			}
			if tt.kind == "" {
				if len(res.Instances) > 0 || res.Runs < 20 {
					t.Errorf("%d runs, %+v", res.Runs, res.Instances)
				}
				return
			}
			if len(res.Instances) != 1 || res.Instances[0].Kind != tt.kind {
				t.Errorf("%d runs, %+v, want %s", res.Runs, res.Instances, tt.kind)
			}
		})
	}
}

// TestExplorationGoesOn checks that violations which the interpreter does not confirm end no exploration. The address
// sanitizer reports each comparison of a pointer beyond the end of its object.
func TestExplorationGoesOn(t *testing.T) {
	text := compile(t, prelude+`int main(void) {
  unsigned n = nd_uint();
  assume(n >= 1 && n <= 8);
  char *p = malloc(8), *q = p + n;
  if (!p)
    return 0;
  int far = p + 7 + n < q + 40;
  free(p);
  return far;
}`)
	m, err := clangir.Read(text, llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	explored, err := Exploration{Clang: tools(t), Module: text, Program: m, Entry: "main", CacheDir: t.TempDir(),
		Options:  vcgen.Options{Semantics: found.Semantics{Checks: found.DefaultChecks()}},
		Duration: time.Second, Most: 1}.Run(t.Context())
	if err != nil || len(explored.Unconfirmed) == 0 || len(explored.Instances) > 0 {
		t.Fatalf("%+v, %v", explored, err)
	}
	if explored.Runs < 50 {
		t.Errorf("it ended after %d runs", explored.Runs)
	}
}
