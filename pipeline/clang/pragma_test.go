package clang

import (
	"fmt"
	"path/filepath"
	"slices"
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
			notes := told(m.Assumptions)
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
