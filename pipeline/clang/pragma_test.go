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
			`p.c:4: #pragma CPROVER check disable "pointer" is not followed: null-dereference is checked there as well`,
			`p.c:6: #pragma CPROVER check enable "enum-range" is not followed: there is no such check here`,
			`h.h:1: #pragma CPROVER check enable "unsigned-overflow" is not followed: unsigned-overflow is not checked (--check unsigned-overflow checks it everywhere)`}},
		{map[found.Kind]bool{"unsigned-overflow": true}, []string{
			`p.c:5: #pragma CPROVER check disable "unsigned-overflow" is not followed: unsigned-overflow is checked there as well`,
			`p.c:6: #pragma CPROVER check enable "enum-range" is not followed: there is no such check here`}},
	} {
		for range 2 { // the second time from the cache
			var got []string
			for _, n := range build(t, request(test.checks)).Assumptions {
				if n.Kind != "ignored-pragma" {
					t.Errorf("kind %s", n.Kind)
				}
				got = append(got, filepath.Base(n.File)+":"+string(rune('0'+n.Line))+": "+n.Message)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("notes %q", got)
			}
		}
	}
}
