package clang

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/vcgen/found"
)

func TestPragmas(t *testing.T) {
	dir := files(t, "p.c", `#include "h.h"
int main(void) {
#pragma CPROVER check push
#pragma CPROVER check disable "pointer"
#pragma CPROVER check disable "unsigned-overflow"
  #  pragma   CPROVER  check  enable  "enum-range"
  int x = g();
#pragma CPROVER check push
#pragma CPROVER check enable "pointer"
  x++;
#pragma CPROVER check pop
#include "i.h"
  x++;
#pragma CPROVER check pop
#ifdef NEVER
#pragma CPROVER check disable "bounds"
#endif
// #pragma CPROVER check disable "bounds"
#pragma CPROVER check disable "bounds"
  return x;
}
`, "h.h", "#pragma CPROVER check enable \"unsigned-overflow\"\nint g(void);\n", "i.h", "x++;\nx--;\n")
	store := cache.Open(t.TempDir(), cache.Options{})
	request := func(checks map[found.Kind]bool) Request {
		return Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")}, Checks: checks, Store: store}
	}
	for _, test := range []struct {
		checks map[found.Kind]bool
		notes  []string
		off    []string
	}{
		{map[found.Kind]bool{"null-dereference": true, "array-bounds": true}, []string{
			"h.h:1 ignored-pragma enable unsigned-overflow unsigned-overflow",
			"p.c:6 ignored-pragma enable enum-range",
			"p.c:9 ignored-pragma enable pointer invalid-pointer use-after-free use-after-scope out-of-bounds-read " +
				"out-of-bounds-write"},
			[]string{"p.c:4-9 null-dereference", "p.c:11-12 null-dereference",
				"p.c:13-14 null-dereference", "p.c:19-22 array-bounds"}},
		{map[found.Kind]bool{"unsigned-overflow": true}, []string{
			"p.c:6 ignored-pragma enable enum-range",
			"p.c:9 ignored-pragma enable pointer null-dereference invalid-pointer use-after-free use-after-scope " +
				"out-of-bounds-read out-of-bounds-write"},
			[]string{"p.c:5-12 unsigned-overflow", "p.c:13-14 unsigned-overflow"}},
	} {
		for range 2 { // the second time from the cache
			m := build(t, request(test.checks))
			notes := sentences(m.Assumptions)
			slices.Sort(notes)
			if !slices.Equal(notes, test.notes) {
				t.Errorf("notes %q", notes)
			}
			var off []string
			for _, u := range m.Unchecked {
				off = append(off, fmt.Sprintf("%s:%d-%d %s", filepath.Base(u.Lines.File), u.Lines.From, u.Lines.To, u.Kind))
			}
			if !slices.Equal(off, test.off) {
				t.Errorf("off: %q", off)
			}
		}
	}
}

// TestPlainPragmas compares plainPragmas with clang's preprocessor on files of random lines: a plain file has the
// pragmas that clang finds.
func TestPlainPragmas(t *testing.T) {
	tc, err := Find(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{"int a;", "", "/* b", "*/", "// #endif", "#ifndef B", "#ifdef B", "#else", "#endif", "#endif // c",
		"#define C \\", "#include \"other.h\"", "#pragma CPROVER check push", "#pragma CPROVER check push",
		"#pragma CPROVER check pop", "#pragma CPROVER check pop", "#pragma CPROVER check disable \"pointer\"",
		"  #  pragma CPROVER check disable \"bounds\"", "#pragma CPROVER check enable \"bounds\"",
		"#pragma \\", "CPROVER check pop", "#pragma CPROVER check \\", "char d[] = \"/*\";", "#pragma once"}
	const push, pop = "#pragma CPROVER check push\n", "#pragma CPROVER check pop\n"
	const pointer = "#pragma CPROVER check disable \"pointer\"\n"
	lines = append(lines, push+pointer+"int g;\n"+pop, push+push+pointer+pop+"int h;\n# pragma CPROVER check disable "+
		"\"bounds\"\n\n"+pop, push+pointer+push+pointer+"#pragma CPROVER check enable \"pointer\"\nint i;\n"+pop+
		"int j;\n"+pop,
		"#if 1\nint k;\n#endif")
	lines = slices.Concat(lines, lines[len(lines)-4:], lines[len(lines)-4:], lines[:2], lines[:2])
	rng := rand.New(rand.NewPCG(1, 2))
	plain := 0
	const files = 3000
	for i := range files {
		var list []string
		for range 1 + rng.IntN(6) {
			list = append(list, lines[rng.IntN(len(lines))])
		}
		if i%2 == 0 {
			list = slices.Concat([]string{"#ifndef A"}, list, []string{"#endif"})
		}
		text := []byte(strings.Join(list, "\n") + "\n")
		notes, ok := plainPragmas(text, "/h.h")
		if !ok || len(notes) == 0 {
			continue
		}
		plain++
		dir := t.TempDir()
		write(t, filepath.Join(dir, "h.h"), string(text))
		write(t, filepath.Join(dir, "other.h"), "#pragma CPROVER check push\n#pragma CPROVER check disable \"bounds\"\n"+
			"int e;\n#pragma CPROVER check pop\n")
		write(t, filepath.Join(dir, "p.c"), "#include \"other.h\"\n#include \"h.h\"\nint f;\n")
		out, stderr, err := tc.Run(context.Background(), dir, tc.Clang, []string{"-E", "-o", "-", "p.c"}, nil)
		if err != nil {
			if !bytes.Contains(stderr, []byte("error")) {
				t.Fatal(err, string(stderr))
			}
			continue // not a program
		}
		fromClang := pragmasIn(out, dir)
		fromClang = slices.DeleteFunc(fromClang, func(n found.Assumption) bool { return filepath.Base(n.At.File) != "h.h" })
		want := strings.ReplaceAll(fmt.Sprint(fromClang), dir+string(os.PathSeparator), "/")
		if got := fmt.Sprint(notes); got != want {
			t.Errorf("%s\n%s by itself\n%s to clang", text, got, want)
		}
	}
	if plain < files/50 {
		t.Errorf("%d of %d files are plain", plain, files)
	}
}
