// Package interptest provides helpers for tests of the interpreter.
//
// A test compiles C with the product's flags, runs it on listed inputs, and compares the outcome as text:
//
//	m := interptest.CompileText(t, "int main(void) { int x = nd_int(); sassert(x < 7); }")
//	s := interptest.Script{Values: []int64{9}}
//	o := interp.Run(ctx, m, "main", s.Choose, interptest.Options())
//	interptest.Summary(o) // the violation of line 1
//
// The package is independent of the interpreter's implementation.
package interptest

import (
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// clangFlags are the flags of the product, and additional ones for snippets.
var clangFlags = append(slices.Clone(clangtest.Flags), "-U_FORTIFY_SOURCE", "-w")

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

// Compile compiles C files with the product's flags, links the definitions that the first one needs, and reads the
// result.
func Compile(t testing.TB, flags []string, files ...string) *clangir.Module {
	t.Helper()
	dir := t.TempDir()
	header := filepath.Join(dir, "unitproof.h")
	if err := os.WriteFile(header, []byte("#pragma once\n"+proofHeader), 0o666); err != nil {
		t.Fatal(err)
	}
	var parts []string
	for i, file := range files {
		part := filepath.Join(dir, fmt.Sprintf("%d.ll", i))
		RunTool(t, "clang-14", slices.Concat(clangFlags, flags, []string{"-I", dir, "-o", part, file})...)
		parts = append(parts, part)
	}
	out := parts[0]
	if len(parts) > 1 {
		out = filepath.Join(dir, "out.ll")
		RunTool(t, "llvm-link-14", append([]string{"-S", "--only-needed", "-o", out}, parts...)...)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	m, err := clangir.Read(text, llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func RunTool(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// CompileText compiles a snippet that may use the proof language; its lines are numbered from 1.
func CompileText(t testing.TB, src string, flags ...string) *clangir.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "t.c")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	return Compile(t, append([]string{"-include", "unitproof.h"}, flags...), file)
}

// Script provides listed inputs: the n-th call of any nd_ function returns the n-th value.
//
// Its other fields determine the other choices; all remaining choices are zero. Choose is its choice.Inputs.
type Script struct {
	Values []int64
	next   int
	Fails  map[int]bool // by number of the allocation, from 0
	allocs int
	Writes bool
	Addr   func(site int, name string) uint64                   // nil: no chosen addresses
	Fill   func(kind choice.Kind, name string, off uint64) byte // nil: zero
}

// Choose implements choice.Inputs.
func (s *Script) Choose(q choice.Question) choice.Answer {
	fact := func(b bool) choice.Answer {
		if b {
			return choice.Answer{Value: big.NewInt(1)}
		}
		return choice.Answer{}
	}
	switch {
	case q.Content:
		if s.Fill == nil {
			return choice.Answer{}
		}
		return choice.Answer{Content: func(off uint64) byte { return s.Fill(q.Kind, q.Name, off) }}
	case q.Kind == choice.AllocFails:
		s.allocs++
		return fact(s.Fails[s.allocs-1])
	case q.Kind == choice.Writes:
		return fact(s.Writes)
	case q.Kind == choice.Object:
		if s.Addr == nil {
			return choice.Answer{}
		}
		return choice.Answer{Value: new(big.Int).SetUint64(s.Addr(q.Site, q.Name))}
	case q.Kind == choice.Size, q.Kind == choice.Undef, s.next >= len(s.Values):
		return choice.Answer{}
	}
	s.next++
	v := big.NewInt(s.Values[s.next-1])
	return choice.Answer{Value: v.And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(q.Bits)), big.NewInt(1)))}
}

// Options returns options with the default checks, a trace and coverage.
func Options() interp.Options {
	return interp.Options{
		Semantics:     found.Semantics{Checks: found.DefaultChecks(), MallocMayFail: true, MissingBody: "havoc"},
		LoopContracts: language.LoopsChecked, MaxSteps: 3_000_000, Trace: true, Coverage: true}
}

// Summary returns the end of a run, with kind and line of a violation.
func Summary(o *interp.Outcome) string {
	if o.Violation == nil {
		if o.Reason != "" && o.End != interp.EndAssume {
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

// ChecksOn returns the checks that most tests need.
func ChecksOn() map[found.Kind]bool {
	return map[found.Kind]bool{found.Assertion: true, found.NullDereference: true, found.OutOfBoundsRead: true,
		found.OutOfBoundsWrite: true,
		found.UseAfterFree:     true, found.UseAfterScope: true, found.InvalidPointer: true, found.SignedOverflow: true,
		found.ArrayBounds: true}
}

// TraceText returns a trace, one event on each line.
func TraceText(o *interp.Outcome) string {
	var b strings.Builder
	for _, s := range o.Steps {
		old := ""
		if s.Old != "" {
			old = " (was " + s.Old + ")"
		}
		fmt.Fprintf(&b, "%d %s%s %s%s\n", s.Line, strings.Repeat("  ", s.Depth), s.Event, s.Text, old)
	}
	return b.String()
}

// OutcomeText returns the complete outcome of a run as text.
func OutcomeText(o *interp.Outcome) string {
	s := fmt.Sprintf("%s %s %d\n", o.End, o.Reason, o.Executed)
	if o.Violation != nil {
		s += fmt.Sprintf("%s %s %v\n", o.Violation.Kind, o.Violation.Message, o.Violation.Vars)
	}
	for _, in := range o.Inputs {
		s += fmt.Sprintf("%s %s %s = %s (%s)\n", in.Kind, in.Function, in.Variable, in.Value, in.Bytes)
	}
	return s + TraceText(o)
}
