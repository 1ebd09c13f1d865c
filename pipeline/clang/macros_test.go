package clang

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/vcgen/found"
)

func TestComeUp(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"int a[MAX_SIZE];", "MAX_SIZE", true},
		{"/* MAX_SIZE */", "MAX_SIZE", true}, // as good as a word
		{`#pragma push_macro("MAX_SIZE")`, "MAX_SIZE", true},
		{"int a[MAX_\\\nSIZE];", "MAX_SIZE", true},
		{"int a[MAX_\\ \t\r\nSI\\\nZE];", "MAX_SIZE", true},
		{"int a[OUR_MAX_SIZE + MAX_SIZES + MAX_SIZEs + iMAX_SIZE];", "MAX_SIZE", false},
		{"#define OF(x) MAX_ ## x\nint a[OF(SIZE)];", "MAX_SIZE", true},
		{"CAT(M, CAT(AX, CAT(_, SIZE)))", "MAX_SIZE", true},
		{"CAT(M, CAT(AX, CAT(_, SIZ)))", "MAX_SIZE", false},
		{"MAX SIZE", "MAX_SIZE", false},
		{"int a[MAX_??/\nSIZE];", "MAX_SIZE", true},
		{"int a[MAX_\\\r\r\nSIZE];", "MAX_SIZE", true},
		{"CAT(N, __LINE__)", "N12", true},
		{"CAT(N1, X)", "N12X", true},
		{"INT64_C(N)", "NL", true},
		{"", "NDEBUG", false},
		{"", "MAX_SIZE", false},
	} {
		p := newPieces([]string{"OTHER", c.name, "MAX"})
		p.add([]byte(c.text))
		if up := slices.Contains(p.comeUp(), c.name); up != c.want {
			t.Errorf("%s comes up in %q: %t", c.name, c.text, up)
		}
	}
	for flag, want := range map[string]string{"-DMAX_SIZE": "MAX_SIZE", "-DMAX_SIZE=1": "MAX_SIZE", "-UA1": "A1",
		"-DF(x)=x": "F", "-DNDEBUG": "", "-UNDEBUG": "", "-D_GNU_SOURCE": "", "-Dinline=": "", "-DMax=1": "", "-D1A": "",
		"-DA-B": "", "-IDIR": "", "-D": ""} {
		if name, _ := macroOf(flag); name != want {
			t.Errorf("%s is about the macro %q, want %q", flag, name, want)
		}
	}
	if others, macros := withoutMacros([]string{"-DA=1", "-Ix", "-UB"}); !slices.Equal(others, []string{"-Ix"}) ||
		!slices.Equal(macros, []string{"-DA=1", "-UB"}) {
		t.Errorf("others %q, macros %q", others, macros)
	}
	for _, flag := range []string{"-g3", "-DF 3", "-DF/**/=4", "-DX=7/*", "-Dx A=", "-D", "-DX=1\n2", "--target=mips"} {
		if others, macros := withoutMacros([]string{"-DA=1", flag}); macros != nil || len(others) != 2 {
			t.Errorf("beside %q a macro may be unasked", flag)
		}
	}
	if got := string(definitions([]string{"-DF(x) A=+x", "-DN", "-UB", "-DC=D=E"})); got != "(x) A=+x\n\n=D=E\n" {
		t.Errorf("definitions %q", got)
	}
}

// TestComeUpAgainstClang checks on random texts that the output of clang's preprocessor does not depend on unasked
// macros.
func TestComeUpAgainstClang(t *testing.T) {
	tc := toolchain(t)
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"A", "B", "AB", "_", "A_", "_B", "BA", "L", "1", "2", "a", "int"}
	word := func() string { return words[r.IntN(len(words))] }
	unasked, differ := 0, 0
	for range 150 {
		var text strings.Builder
		text.WriteString("#include <limits.h>\n#define CAT(x, y) x ## y\n#define TWICE(x, y) CAT(x, y)\n")
		for i := range 3 {
			fmt.Fprintf(&text, "#define F%d(x) x ## %s\n", i, word())
			fmt.Fprintf(&text, "TWICE(%s, CAT(%s, %s)) F%d(%s) TWICE(%s, __LINE__) %s\\\n%s\n", word(), word(), word(), i,
				word(), word(), word(), word())
		}
		dir := files(t, "p.c", text.String())
		run := func(flags ...string) []byte {
			out, stderr, err := tc.Run(context.Background(), dir, tc.Clang, append(flags, "-E", "-P", "-w", "p.c"), nil)
			if err != nil && len(out) == 0 {
				t.Fatalf("%v\n%s", err, stderr)
			}
			return out
		}
		plain := run()
		name, value := word()+word()+[]string{"", "C"}[r.IntN(2)]+word(), word()+"@"
		if made := strings.Fields(string(plain)); r.IntN(2) == 0 {
			name = made[r.IntN(len(made))]
		}
		if _, ok := macroOf("-D" + name); !ok {
			continue
		}
		same := bytes.Equal(plain, run("-D"+name+"="+value))
		p := newPieces([]string{name})
		p.add([]byte(text.String()))
		p.add([]byte(value))
		up := len(p.comeUp()) > 0
		if !up && !same {
			t.Errorf("%s is no part of what is compiled, and changes it:\n%s", name, text.String())
		}
		if !up {
			unasked++
		}
		if !same {
			differ++
		}
	}
	if unasked < 10 || differ < 10 {
		t.Errorf("%d macros are unasked, %d change what is compiled: too few to tell anything", unasked, differ)
	}
}

// TestUnaskedMacros checks that a unit is recompiled if and only if a macro that it uses changes on the command line.
func TestUnaskedMacros(t *testing.T) {
	if headers, err := Headers(); err == nil { // perhaps written by this run
		age(t, headers)
	}
	dir := files(t, "p.c", "#include <stdlib.h>\n#include \"h.h\"\nint main(void) { return SIZE; }",
		"h.h", "#define H 1\n")
	age(t, dir)
	tc, runs := counting(t)
	store := cache.Open(filepath.Join(t.TempDir(), "cache"), cache.Options{})
	step := func(flags string, want int, has string) {
		t.Helper()
		m, err := tc.Build(context.Background(), Request{Entry: "main", EntryUnit: unit(dir, "p.c", flags),
			Checks: map[found.Kind]bool{}, Store: store})
		if err != nil {
			t.Fatalf("%s: %v", flags, err)
		}
		if have := runs(); have != want {
			t.Errorf("%s: clang ran %d times, want %d", flags, have, want)
		}
		if !bytes.Contains(m.Text, []byte("ret i32 "+has)) {
			t.Errorf("%s: not compiled with %s", flags, has)
		}
	}
	step("-DSIZE=10 -DOTHER=1", 1, "10")
	step("-DSIZE=10 -DOTHER=1", 0, "10")
	step("-DSIZE=10 -DOTHER=2", 0, "10")
	step("-DSIZE=10", 0, "10")
	step("-DSIZE=10 -DFURTHER", 0, "10")
	step("-DSIZE=10 -UFURTHER -UOTHER", 0, "10")
	step("-DSIZE=20 -DOTHER=1", 1, "20")
	step("-DSIZE=10 -DOTHER=1", 0, "10")
	step("-DSIZE=10 -DSIZE=20", 1, "20")
	step("-USIZE -DSIZE=20", 1, "20")
	step("-DOTHER=30 -DSIZE=OTHER", 1, "30")
	step("-DOTHER=31 -DSIZE=OTHER", 1, "31")
	step("-DOTHER=30 -DSIZE=10", 0, "10")
	step("-DEVEN=40 -DSIZE=EVEN", 1, "40")
	step("-DEVEN=41 -DSIZE=EVEN", 1, "41")
	step("-DEVEN=42 -DSIZE=10", 0, "10")
	step("-Deven=EVEN -DEVEN=43 -DSIZE=even", 1, "43")
	step("-Deven=EVEN -DEVEN=44 -DSIZE=even", 1, "44")

	write(t, filepath.Join(dir, "h.h"), "#ifdef OTHER\n#undef SIZE\n#define SIZE 50\n#endif\n")
	age(t, dir)
	step("-DSIZE=10", 1, "10")
	step("-DSIZE=10 -DOTHER", 1, "50")
	step("-DSIZE=10 -UOTHER", 1, "10")
	step("-DSIZE=10 -DFURTHER", 0, "10")

	// Many sizes are cached side by side.
	for i := range 20 {
		step(fmt.Sprintf("-DSIZE=%d", 100+i), 1, fmt.Sprint(100+i))
	}
	step("-DSIZE=100", 0, "100")

	// The inputs of a precompiled header are unknown.
	write(t, filepath.Join(dir, "i.h"), "#define I 1\n")
	age(t, dir)
	step("-DSIZE=10 -include i.h", 1, "10")
	step("-DSIZE=10 -include i.h", 0, "10")
	if _, stderr, err := tc.Run(context.Background(), dir, toolchain(t).Clang, []string{"-x", "c-header", "i.h", "-o",
		"i.h.gch"}, nil); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if !precompiled([]string{"-DX", "-includei.h"}, dir) || precompiled([]string{"-DX", "-includeh.h"}, dir) {
		t.Error("precompiled headers are not told from others")
	}
}
