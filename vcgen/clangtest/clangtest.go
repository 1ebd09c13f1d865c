// Package clangtest compiles C for tests of packages that read clang's output.
//
// Compile returns LLVM assembly with the product's flags:
//
//	text := clangtest.Compile(t, "int f(int x) { return x / 2; }")
//	m, err := llvmir.Read([]byte(text), llvmir.ReadOptions{})
//
// The environment variable UNITPROOF_CLANGTEST names a folder in which outputs are kept between runs.
package clangtest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// KeepVariable is an environment variable. If it names a folder, Compile keeps clang's output there and reuses it.
const KeepVariable = "UNITPROOF_CLANGTEST"

// Flags are the flags of the product (pipeline/clang) that affect the assembly.
var Flags = strings.Fields("-S -emit-llvm -g -O1 -Xclang -disable-llvm-passes -fno-discard-value-names " +
	"-ffp-contract=off -fsanitize=signed-integer-overflow,shift-exponent,integer-divide-by-zero,array-bounds,builtin," +
	"float-cast-overflow,vla-bound,return,unreachable -fno-sanitize-recover=all")

// compiled has clang's outputs by their sources: starting clang takes longer than most tests of a small program.
var compiled sync.Map

// Compile returns clang's assembly for a source. Without clang-14 the test fails.
func Compile(t testing.TB, source string) string {
	t.Helper()
	if text, ok := compiled.Load(source); ok {
		return text.(string)
	}
	text := compile(t, source)
	compiled.Store(source, text)
	return text
}

func compile(t testing.TB, source string) string {
	t.Helper()
	stored := ""
	if folder := os.Getenv(KeepVariable); folder != "" {
		stored = filepath.Join(folder, fmt.Sprintf("%x.ll", sha256.Sum256([]byte(strings.Join(Flags, " ")+"\n"+source))))
		if text, err := os.ReadFile(stored); err == nil {
			return string(text)
		}
	}
	cmd := exec.Command("clang-14", append([]string{"-x", "c", "-", "-o", "-"}, Flags...)...)
	cmd.Stdin = strings.NewReader(source)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("clang-14: %v\n%s", err, errs.String())
	}
	if stored != "" {
		if err := os.WriteFile(stored, []byte(out.String()), 0o600); err != nil {
			t.Log(err)
		}
	}
	return out.String()
}
