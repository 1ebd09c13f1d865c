package interp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/sampletest"
)

// TestAcceptanceRandom runs the acceptance set on random inputs.
//
// Each violation must be marked, and no program may be unsupported. With -short it takes one in eight programs.
func TestAcceptanceRandom(t *testing.T) {
	root := filepath.Join("..", "..", "testdata", "acceptance")
	files, err := filepath.Glob(filepath.Join(root, "*.c"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no acceptance set at %s: %v", root, err)
	}
	for _, dir := range []string{"traps", "unbounded"} {
		more, _ := filepath.Glob(filepath.Join(root, dir, "*.c"))
		files = append(files, more...)
	}
	libc := filepath.Join("testdata", "libc.c")
	marker := regexp.MustCompile(`want (\w+) ([\w-]+)`)
	for _, file := range files {
		if !sampletest.Short(t, filepath.Base(file), 8) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".c"), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{}
			for i, line := range strings.Split(string(src), "\n") {
				for _, m := range marker.FindAllStringSubmatch(line, -1) {
					if m[1] == "failed" || m[1] == "unknown" || m[1] == "bounded" {
						want[fmt.Sprintf("%s:%d", m[2], i+1)] = true
					}
				}
			}
			opts := interptest.Options()
			flags := ""
			if m := regexp.MustCompile(`(?m)^flags: (.*)$`).FindSubmatch(src); m != nil {
				flags = string(m[1])
			}
			fields := strings.Fields(flags)
			for i, f := range fields {
				switch f {
				case "--check":
					opts.Checks[found.Kind(fields[i+1])] = true
				case "--no-check":
					opts.Checks[found.Kind(fields[i+1])] = false
				case "--malloc-may-fail=false":
					opts.MallocMayFail = false
				}
			}
			opts.MaxSteps = 50_000
			opts.Trace = true
			m := interptest.Compile(t, nil, file, libc)
			ends := map[string]int{}
			for _, f := range m.Funcs {
				if len(f.Blocks) == 0 || f.Name != "main" && !strings.HasSuffix(f.Name, "_harness") &&
					!strings.HasSuffix(f.Name, "_proof") && !strings.HasPrefix(f.Name, "proof_") {
					continue
				}
				for seed := range uint64(15) {
					o := interp.Run(context.Background(), m, f.Name, interptest.Random(seed), opts)
					ends[o.End]++
					if o.End == interp.EndUnsupported {
						t.Fatalf("seed %d: %s", seed, o.Reason)
					}
					if v := o.Violation; v != nil {
						key := fmt.Sprintf("%s:%d", v.Kind, lineIn(v, filepath.Base(file)))
						ends[key]++
						if !want[key] {
							t.Fatalf("seed %d: unexpected %s", seed, interptest.Summary(o))
						}
					}
				}
			}
			if testing.Verbose() {
				t.Log(ends)
			}
		})
	}
}

func lineIn(v *interp.Violation, base string) int {
	for i := len(v.Stack) - 1; i >= 0; i-- {
		if l := v.Stack[i].Loc; l != nil && filepath.Base(l.File) == base {
			return l.Line
		}
	}
	return 0
}

func at0(line int) *llvmir.Loc { return &llvmir.Loc{Line: line} }
