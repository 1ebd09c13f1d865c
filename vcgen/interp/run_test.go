package interp

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// clangFlags are those of the product (pipeline/clang).
var clangFlags = []string{"-S", "-emit-llvm", "-g", "-O1", "-Xclang", "-disable-llvm-passes", "-U_FORTIFY_SOURCE", "-ffp-contract=off",
	"-fno-discard-value-names", "-w",
	"-fsanitize=signed-integer-overflow,shift-exponent,integer-divide-by-zero,array-bounds,builtin,float-cast-overflow,vla-bound,return,unreachable",
	"-fno-sanitize-recover=all"}

// proofHeader declares the proof language for the snippets of the tests.
const proofHeader = `
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
void assume(bool); void sassert(bool);
#define ND(T, N) T nd_##N(void);
ND(bool, bool) ND(char, char) ND(int, int) ND(unsigned, uint) ND(int8_t, int8_t) ND(int16_t, int16_t) ND(int32_t, int32_t)
ND(int64_t, int64_t) ND(uint8_t, uint8_t) ND(uint16_t, uint16_t) ND(uint32_t, uint32_t) ND(uint64_t, uint64_t)
ND(short, short) ND(long, long) ND(size_t, size_t) ND(ssize_t, ssize_t) ND(intptr_t, intptr_t) ND(uintptr_t, uintptr_t)
ND(float, float) ND(double, double)
void *nd_voidp(void); void memhavoc(void *, size_t);
bool sea_is_dereferenceable(const void *, intptr_t);
bool sea_is_modified(char *); void sea_reset_modified(char *); void sea_tracking_on(void); void sea_tracking_off(void);
`

// compile compiles C files with the product's flags, links what the first one needs of the
// others, and reads the result.
func compile(t testing.TB, flags []string, files ...string) *llvmir.Module {
	t.Helper()
	dir := t.TempDir()
	header := filepath.Join(dir, "unitproof.h")
	if err := os.WriteFile(header, []byte("#pragma once\n"+proofHeader), 0o666); err != nil {
		t.Fatal(err)
	}
	var parts []string
	for i, file := range files {
		part := filepath.Join(dir, fmt.Sprintf("%d.ll", i))
		runTool(t, "clang-14", slices.Concat(clangFlags, flags, []string{"-I", dir, "-o", part, file})...)
		parts = append(parts, part)
	}
	out := parts[0]
	if len(parts) > 1 {
		out = filepath.Join(dir, "out.ll")
		runTool(t, "llvm-link-14", append([]string{"-S", "--only-needed", "-o", out}, parts...)...)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	m, err := llvmir.Read(text, llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func runTool(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// compileText compiles a snippet that may use the proof language; its lines count from 1.
func compileText(t testing.TB, src string, flags ...string) *llvmir.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "t.c")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	return compile(t, append([]string{"-include", "unitproof.h"}, flags...), file)
}

// script supplies listed values per function called (the n-th call of any nd_ function gets
// the n-th value), else what base says.
type script struct {
	Inputs
	values []int64
	next   int
	fails  map[int]bool // by number of the allocation, from 0
	allocs int
	writes bool
	addr   func(site int, name string) (uint64, bool)
	fill   func(kind, name string, off uint64) byte
}

func (s *script) Value(site int, kind string, bits int) *big.Int {
	if kind == "undef" || s.next >= len(s.values) {
		return new(big.Int)
	}
	s.next++
	v := big.NewInt(s.values[s.next-1])
	return v.And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(bits)), big.NewInt(1)))
}

func (s *script) AllocFails(int) bool {
	s.allocs++
	return s.fails[s.allocs-1]
}

func (s *script) MissingBodyWrites(int) bool { return s.writes }

func (s *script) Address(site int, name string) (uint64, bool) {
	if s.addr == nil {
		return 0, false
	}
	return s.addr(site, name)
}

func (s *script) Content(_ int, kind, name string) func(uint64) byte {
	return func(off uint64) byte {
		if s.fill == nil {
			return 0
		}
		return s.fill(kind, name, off)
	}
}

func options() Options {
	return Options{Checks: found.DefaultChecks(), MallocMayFail: true, MissingBody: "havoc", MaxSteps: 3_000_000, Trace: true, Coverage: true}
}

// summary is what tests compare: the end, with kind and line of a violation.
func summary(o *Outcome) string {
	if o.Violation == nil {
		if o.Reason != "" && o.End != EndAssume {
			return o.End + ": " + o.Reason
		}
		return o.End
	}
	line := 0
	if o.Violation.Loc != nil {
		line = o.Violation.Loc.Line
	}
	return fmt.Sprintf("%s:%d: %s", o.Violation.Kind, line, o.Violation.Message)
}

// TestAcceptanceRandom runs the acceptance set on random inputs: whatever fails must be
// marked, and nothing may be unsupported.
func TestAcceptanceRandom(t *testing.T) {
	root := filepath.Join("..", "..", "testdata", "acceptance")
	files, err := filepath.Glob(filepath.Join(root, "*.c"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no acceptance set at %s: %v", root, err)
	}
	for _, dir := range []string{"traps", "../later/unbounded"} {
		more, _ := filepath.Glob(filepath.Join(root, dir, "*.c"))
		files = append(files, more...)
	}
	libc := filepath.Join("testdata", "libc.c")
	marker := regexp.MustCompile(`want (\w+) ([\w-]+)`)
	for _, file := range files {
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
			opts := options()
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
			opts.MaxSteps = 200_000
			opts.Trace = true
			m := compile(t, nil, file, libc)
			ends := map[string]int{}
			for _, f := range m.Funcs {
				if len(f.Blocks) == 0 || f.Name != "main" && !strings.HasSuffix(f.Name, "_harness") && !strings.HasSuffix(f.Name, "_proof") && !strings.HasPrefix(f.Name, "proof_") {
					continue
				}
				for seed := range uint64(15) {
					o := Run(context.Background(), m, f.Name, NewRandomInputs(seed), opts)
					ends[o.End]++
					if o.End == EndUnsupported {
						t.Fatalf("seed %d: %s", seed, o.Reason)
					}
					if v := o.Violation; v != nil {
						key := fmt.Sprintf("%s:%d", v.Kind, lineIn(v, filepath.Base(file)))
						ends[key]++
						if !want[key] {
							t.Fatalf("seed %d: unexpected %s", seed, summary(o))
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

func lineIn(v *Violation, base string) int {
	for i := len(v.Stack) - 1; i >= 0; i-- {
		if l := v.Stack[i].Loc; l != nil && filepath.Base(l.File) == base {
			return l.Line
		}
	}
	return 0
}

func at0(line int) *llvmir.Loc { return &llvmir.Loc{Line: line} }
