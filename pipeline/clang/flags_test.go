package clang

import (
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/vcgen/found"
)

func TestSanitizeFlag(t *testing.T) {
	for _, c := range []struct{ kinds, want string }{
		{"", ""},
		{"assertion null-dereference misaligned", ""},
		{"signed-overflow", "-fsanitize=signed-integer-overflow"},
		{"shift-overflow invalid-shift unsigned-overflow", "-fsanitize=unsigned-integer-overflow,shift-exponent,shift-base"},
		{"unreachable array-bounds", "-fsanitize=array-bounds,return,unreachable"},
		{"invalid-builtin float-to-int-overflow invalid-size division-by-zero",
			"-fsanitize=vla-bound,float-cast-overflow,integer-divide-by-zero,builtin"},
	} {
		checks := map[found.Kind]bool{"assertion": false}
		for _, k := range strings.Fields(c.kinds) {
			checks[found.Kind(k)] = true
		}
		if have := sanitizeFlag(checks); have != c.want {
			t.Errorf("%s: %q, want %q", c.kinds, have, c.want)
		}
	}
}

func TestDefinesNDEBUG(t *testing.T) {
	for flags, want := range map[string]bool{
		"": false, "-DNDEBUG": true, "-DNDEBUG=1": true, "-DNDEBUG -UNDEBUG": false,
		"-DNDEBUG -UNDEBUG -DNDEBUG=0": true, "-DNDEBUGGING": false,
	} {
		if have := definesNDEBUG(strings.Fields(flags)); have != want {
			t.Errorf("%q: %v", flags, have)
		}
	}
}

func TestDepfile(t *testing.T) {
	have := parseDepfile("unit: a.c /x/my\\ dir/b.h \\\n  c\\#d.h e$$f.h \\\n  C:/g.h\nother: z\n")
	if want := []string{"a.c", "/x/my dir/b.h", "c#d.h", "e$f.h", "C:/g.h"}; !slices.Equal(have, want) {
		t.Errorf("%q, want %q", have, want)
	}
}

func TestTypeLength(t *testing.T) {
	for _, c := range []struct{ typ, rest string }{
		{"i32", " 0, align 4"},
		{"%struct.s", " zeroinitializer"},
		{"%\"struct a\"*", " null"},
		{"[3 x i8*]", " [i8* null]"},
		{"void (i32, ...)*", " @f, align 8"},
		{"{ i8*, i32 (i8)* }", " { i8* null }"},
		{"<{ i8, [3 x i8] }>", " <{ i8 1 }>"},
		{"i8 addrspace(1)*", " null"},
		{"i32 (i32)* (i8)**", " bitcast (i8* @x to i8**)"},
	} {
		if n := asm.TypeLength([]byte(c.typ + c.rest)); n != len(c.typ) {
			t.Errorf("%s%s: %d, want %d", c.typ, c.rest, n, len(c.typ))
		}
	}
}
