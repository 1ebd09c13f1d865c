package clang

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/vcgen/found"
)

func TestIgnoredPragmas(t *testing.T) {
	dir := files(t, "p.c", `#include "h.h"
int main(void) {
#pragma CPROVER check push
#pragma CPROVER check disable "pointer"
#pragma CPROVER check disable "unsigned-overflow"
  #  pragma   CPROVER  check  enable  "enum-range"
  int x = g();
#pragma CPROVER check pop
#pragma CPROVER check disable "pointer"
// #pragma CPROVER check disable "bounds"
  return x;
}
`, "h.h", "#pragma CPROVER check enable \"unsigned-overflow\"\n#pragma CPROVER check disable \"pointer\"\nint g(void);\n")
	store := cache.Open(t.TempDir(), cache.Options{})
	request := func(checks map[found.Kind]bool) Request {
		return Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")}, Checks: checks, Store: store}
	}
	for _, test := range []struct {
		checks map[found.Kind]bool
		want   []string
	}{
		{map[found.Kind]bool{"null-dereference": true}, []string{
			"p.c:4 ignored-pragma disable pointer null-dereference",
			"p.c:6 ignored-pragma enable enum-range",
			"h.h:1 ignored-pragma enable unsigned-overflow unsigned-overflow"}},
		{map[found.Kind]bool{"unsigned-overflow": true}, []string{
			"p.c:5 ignored-pragma disable unsigned-overflow unsigned-overflow",
			"p.c:6 ignored-pragma enable enum-range"}},
	} {
		for range 2 { // the second time from the cache
			got := told(build(t, request(test.checks)).Assumptions)
			if !slices.Equal(got, test.want) {
				t.Errorf("notes %q", got)
			}
		}
	}
}
