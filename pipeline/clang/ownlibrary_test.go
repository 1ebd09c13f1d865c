package clang

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestOwnLibrary edits programs with functions that have names of the library. The result must equal a build without a
// cache, whatever was compiled before.
func TestOwnLibrary(t *testing.T) {
	if headers, err := Headers(); err == nil { // written by this run, perhaps
		age(t, headers)
	}
	const caller = "#include <string.h>\nint f(void);\nint main(void) { return (int)strlen(\"abc\") + f(); }\n"
	dir := files(t, "p.c", caller, "q.c", "int f(void) { return 1; }\n", "own.c",
		"#include <stddef.h>\nsize_t strlen(const char *s) { return 5; }\n")
	tc, runs := counting(t)
	store := cache.Open(filepath.Join(t.TempDir(), "cache"), cache.Options{})
	r := Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""), Sources: []Unit{unit(dir, "q.c", ""),
		unit(dir, "own.c", "")}, Checks: map[found.Kind]bool{}}
	step := func(what string, want int) {
		t.Helper()
		age(t, dir)
		cached := r
		cached.Store = store
		have, err := tc.Build(context.Background(), cached)
		if n := runs(); n != want {
			t.Errorf("%s: clang ran %d times, want %d", what, n, want)
		}
		plain, wrong := tc.Build(context.Background(), r)
		runs()
		switch {
		case err != nil && wrong != nil:
			if err.Error() != wrong.Error() {
				t.Errorf("%s: %v, want %v", what, err, wrong)
			}
		case err != nil || wrong != nil:
			t.Errorf("%s: %v, want %v", what, err, wrong)
		case string(have.Text) != string(plain.Text):
			t.Errorf("%s: another program\n%s\nwant\n%s", what, have.Text, plain.Text)
		}
	}
	edit := func(name, text string) { write(t, filepath.Join(dir, name), text) }

	step("first time", 6)
	step("unchanged", 0)
	edit("p.c", "// comment\n"+caller)
	step("a caller was edited", 1)
	edit("q.c", "int f(void) { return 2; }\n")
	step("another one", 1)
	edit("q.c", "int f(void) { return 2; }\nint memcmp(const void *a, const void *b, unsigned long n) { return 7; }\n")
	step("one more function of the library is defined", 1+2+3) // the guess, without options, with both
	edit("p.c", strings.Replace(caller, "main(void) {",
		"main(void) { static int n = sizeof(char[1 + __builtin_strlen(\"x\")]);", 1))
	step("what the compiler has to know, under the name it always knows", 1)
	edit("p.c", strings.Replace(caller, "main(void) {", "main(void) { static int n = strlen(\"x\");", 1))
	step("what only the compiler's own function allows", 2+1+2) // an error asks for the headers, too
	edit("p.c", caller)
	step("and back", 1)
	edit("p.c", "int f(void);\nstatic int strcmp(const char *a, const char *b) { return 9; }\nint main(void) { return "+
		"strcmp(\"a\", \"b\") + f(); }\n")
	step("a static function whose calls clang would compute", 1+1+3)
	edit("own.c", "#include <stddef.h>\nsize_t strlen2(const char *s) { return 5; }\n")
	step("the unit that defines it no longer does", 1+1+1)
	edit("q.c", "int f(void) { return 3; }\n")
	edit("p.c", caller)
	step("none does", 2)
	edit("p.c", "// another comment\n"+caller)
	step("an edit without options", 1)
}
