package clang

import (
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

func TestFilterFlags(t *testing.T) {
	dir := files(t, "args.rsp", `-DA="1 2" -O2 -o out 'x y.c' @more.rsp -I"my dir"`, "more.rsp", "-DMORE -fplugin=evil.so")
	for _, c := range []struct{ name, flags, kept, dropped string }{
		{"nothing", "", "", ""},
		{"includes and macros", "-I inc -Iinc2 -D X=1 -DY -U Z -include pre.h -isystem sys -std=c99",
			"-I inc -Iinc2 -D X=1 -DY -U Z -include pre.h -isystem sys -std=c99", ""},
		{"an argument that looks like an option", "-D -O2 -I -c", "-D -O2 -I -c", ""},
		{"optimisation", "-O2 -O -Os -Ofast -flto=thin -ffat-lto-objects", "-ffat-lto-objects", "-Ofast"},
		{"sanitizers", "-fsanitize=bounds,address -fno-sanitize=all -fsanitize-recover=all -fsanitize-trap=undefined", "",
			""},
		{"profiles", "-fprofile-instr-generate -fprofile-arcs -ftest-coverage -fcoverage-mapping --coverage -pg", "", ""},
		{"floating point", "-ffast-math -fno-math-errno -ffinite-math-only", "-fno-math-errno",
			"-ffast-math|-ffinite-math-only"},
		{"errors from warnings", "-Wall -Werror -Werror=format -pedantic-errors -w", "-Wall", ""},
		{"dependencies and output", "-c -MD -MMD -MF a.d -MTa.o -MQ a -MP -o a.o -oa.o -S -E -save-temps=obj", "", ""},
		{"debug information", "-g -g3 -ggdb -gdwarf-4 -g0 -gsplit-dwarf -fdebug-prefix-map=/a=b -ffile-prefix-map=/a=b", "",
			""},
		{"code of others", "-fplugin=x.so -Xclang -load -Xclang x.so -B /bin -B/usr -specs=s -fpass-plugin=p -mllvm -x", "",
			"-fplugin=x.so|-Xclang -load|-Xclang x.so|-B /bin|-B/usr|-specs=s|-fpass-plugin=p|-mllvm -x"},
		{"linking", "-lm -L/lib -L lib -Wl,-z,now -shared -Xlinker x -pthread a.o lib.a file.c -static", "-pthread", ""},
		{"preprocessor", "-Wp,-MMD,x.d,-DX=1", "-DX=1", ""},
		{"semantics stay", "-fwrapv -fcommon -m32 -funsigned-char -fshort-enums -ftrapv",
			"-fwrapv -fcommon -m32 -funsigned-char -fshort-enums", ""},
		{"an argument is missing", "-DX -I", "-DX", "-I"},
		{"response file", "@args.rsp -DLAST", "-DA=1 2 -DMORE -Imy dir -DLAST", "-fplugin=evil.so"},
		{"no such response file", "@nowhere.rsp", "", "@nowhere.rsp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept, dropped := filterFlags(strings.Fields(c.flags), dir)
			if have := strings.Join(kept, " "); have != c.kept {
				t.Errorf("kept %q, want %q", have, c.kept)
			}
			if have := strings.Join(dropped, "|"); have != c.dropped {
				t.Errorf("dropped %q, want %q", have, c.dropped)
			}
		})
	}
}

func TestResponseFileThatNamesItself(t *testing.T) {
	dir := files(t, "a.rsp", "-DX @a.rsp")
	if _, dropped := filterFlags([]string{"@a.rsp"}, dir); !slices.Equal(dropped, []string{"@a.rsp"}) {
		t.Errorf("dropped %q", dropped)
	}
}

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
		"": false, "-DNDEBUG": true, "-D NDEBUG": true, "-DNDEBUG=1": true, "-DNDEBUG -UNDEBUG": false,
		"-DNDEBUG -U NDEBUG -DNDEBUG=0": true, "-DNDEBUGGING": false,
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
		if n := typeLength([]byte(c.typ + c.rest)); n != len(c.typ) {
			t.Errorf("%s%s: %d, want %d", c.typ, c.rest, n, len(c.typ))
		}
	}
}
