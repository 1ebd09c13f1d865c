package replay

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func compile(t *testing.T, source string) []byte {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "p.c")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("clang-14", "-S", "-emit-llvm", "-g", "-O1", "-Xclang", "-disable-llvm-passes", "-fno-builtin",
		"-fsanitize=signed-integer-overflow", "-fno-sanitize-recover=all", file, "-o", "-").Output()
	if err != nil {
		t.Fatalf("clang-14: %v", err)
	}
	return out
}

const prelude = `
#include <stdbool.h>
#include <stdlib.h>
void assume(bool); void sassert(bool); int nd_int(void); unsigned nd_uint(void);
`

func TestAttack(t *testing.T) {
	tests := []struct {
		name, source, report string
	}{
		{"holds", `int main(void) { unsigned x = nd_uint(); assume(x < 300); sassert(x + 1 > x); return 0; }`, ""},
		{"assertion", `int main(void) { unsigned x = nd_uint(); sassert(x + 1 > x); return 0; }`, "assertion violated"},
		{"heap overflow", `int main(void) { char *p = malloc(4); if (!p) return 0; unsigned i = nd_uint(); assume(i <= 4); p[i] = 1; free(p); return 0; }`, "heap-buffer-overflow"},
		{"null", `int main(void) { char *p = malloc(4); *p = 1; free(p); return 0; }`, "SEGV"},
		{"signed overflow", `int main(void) { int x = nd_int(); return x + 1; }`, "signed integer overflow"},
		{"exit is an end", `int main(void) { if (nd_int()) exit(3); return 0; }`, ""},
		{"abort is an end", `int main(void) { if (nd_int()) abort(); return 0; }`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, err := Attack{Clang: "clang-14", Module: compile(t, prelude+tt.source), Entry: "main", Duration: time.Second, MallocMayFail: true}.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if res.Impossible != "" || res.Violated != (tt.report != "") || !strings.Contains(res.Report, tt.report) {
				t.Fatalf("%+v, want a report with %q", res, tt.report)
			}
			if !res.Violated && res.Runs < 20 {
				t.Errorf("only %d runs", res.Runs)
			}
		})
	}
}
