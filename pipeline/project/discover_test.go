package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

func TestReadSource(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       string // entries as name@line:column
		uses       bool
	}{
		{"include", "#include <unitproof.h>\nint main(void) { return 0; }", "main@2:5", true},
		{"include in quotes and folders", "# include \"../inc/unitproof.h\" // x\nvoid a_harness(void) {}", "a_harness@2:6",
			true},
		{"another include", "#include <myunitproof.h>\nint main(void) { return 0; }", "main@2:5", false},
		{"include in a comment", "// #include <unitproof.h>\nint main(void) { return 0; }", "main@2:5", false},
		{"ordinary program",
			"#include <assert.h>\n#include <stdlib.h>\nint main(int argc, char **argv) { assert(argc); abort(); }", "main@3:5",
			false},
		{"names in comments and strings",
			"/* sassert(1) __VERIFIER_assume */ int main(void) { puts(\"assume(x) nd_int()\"); }", "main@1:40", false},
		{"all ways to be called",
			"extern int nd_int(void);\nvoid f_harness(void) {}\nint g_proof(void) { return 1; }\nvoid proof_h(int x) { " +
				"}\nvoid proofing(void) {}\nvoid harness(void) {}",
			"f_harness@2:6 g_proof@3:5 proof_h@4:6", true},
		{"declarations are none",
			"#include <unitproof.h>\nvoid f_harness(void);\nint main(void);\nint x_proof = 3;\nvoid g(void) { f_harness(); }",
			"", true},
		{"pointers and attributes",
			"#include <unitproof.h>\nint *\np_proof (void)\n{ return 0; }\n__attribute__((noinline)) void q_harness(void) " +
				"__attribute__((cold));\nvoid __attribute__((used)) q_harness(void) {}\nint (main)(void) { }",
			"p_proof@3:1 q_harness@6:28 main@7:6", true},
		{"returns a function pointer", "#include <unitproof.h>\nint (*get_proof(void))(int) { return 0; }", "get_proof@2:7",
			true},
		{"parameters are none", "#include <unitproof.h>\nvoid f(int (*cb_proof)(void), int main) { cb_proof(); }", "", true},
		{"K&R", "int __VERIFIER_nondet_int();\nint main(argc, argv) int argc; char **argv; { return 0; }", "main@2:5", true},
		{"implicit int", "#include <unitproof.h>\nmain() { return 0; }", "main@2:1", true},
		{"macro before", "#include <unitproof.h>\nEXPORT API(1) void f_harness(void) { assume(1); }", "f_harness@2:20", true},
		{"macro behind", "#include <unitproof.h>\nvoid f_harness(void) NORETURN { }", "f_harness@2:6", true},
		{"broken before", "#include <unitproof.h>\nint f( { if (x\n}\nvoid f_harness(void) { }", "f_harness@4:6", true},
		{"broken inside", "#include <unitproof.h>\nvoid f_harness(void) { if ( { x = = 3; \n}\n" +
			"void g_harness(void) { int x; }", "f_harness@2:6 g_harness@4:6", true},
		{"being typed", "#include <unitproof.h>\nvoid f_harness(void) {\n  int x = nd_int();\n  sassert(x", "f_harness@2:6",
			true},
		{"braces in branches",
			"#include <unitproof.h>\nint f(void) {\n#ifdef A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\nint main(void) { }",
			"main@10:5", true},
		{"branches", "#include <unitproof.h>\n#ifdef KLEE\nint main(void) { }\n#else\nint main(int argc) { }\nvoid " +
			"a_proof(void) { }\n#endif", "main@3:5 a_proof@6:6", true},
		{"fuzz target", "int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return 0; }\nint main(void) { }",
			"LLVMFuzzerTestOneInput@1:5", true},
		{"fuzz target and proof", "#include <unitproof.h>\nint LLVMFuzzerTestOneInput(const char *d, unsigned long n) " +
			"{ return 0; }\nint main(void) { }", "LLVMFuzzerTestOneInput@2:5 main@3:5", true},
		{"driver", "int LLVMFuzzerTestOneInput(const char *d, unsigned long n);\nint main(void) { }", "main@2:5", false},
		{"if 0", "#include <unitproof.h>\n#if 0\nint main(void) { }\n#else\nint a_proof(void) { }\n#endif\n#if 0\nvoid " +
			"b_proof(void) {}\n#endif", "a_proof@5:5", true},
		{"static and inline",
			"#include <unitproof.h>\nstatic int a_proof(void) { }\nstatic\ninline int b_proof(void) { }\ninline int " +
				"c_proof(void) {}\nextern inline int d_proof(void) {}", "d_proof@6:19", true},
		{"extern C", "#include <unitproof.h>\nextern \"C\" {\nint main(void) { }\n}", "main@3:5", true},
		{"own assume", "#define assume(x) if (!(x)) exit(0)\nint main(void) { assume(1); }", "main@2:5", false},
		{"own assume as a function", "void assume(int x) { if (!x) exit(0); }\nint main(void) { assume(1); }", "main@2:5",
			false},
		{"assume by another name", "#define assume(x) __CPROVER_assume(x)\nint main(void) { assume(1); }", "main@2:5", true},
		{"declared assume", "void assume(_Bool);\nint main(void) { }", "main@2:5", true},
		{"a variable of that name", "int assume;\nint main(void) { assume = 1; }", "main@2:5", false},
		{"nondet without parameters", "int main(void) { int x = nondet_uint( /* any */ ); }", "main@1:5", true},
		{"nd_ with parameters", "int main(void) { nd_init(3); find_int(); }", "main@1:5", false},
		{"nd_ with a body", "int nd_count(void) { return 1; }\nint main(void) { return nd_count(); }", "main@2:5", false},
		{"klee", "int main(void) { int x; klee_make_symbolic(&x, sizeof x, \"x\"); }", "main@1:5", true},
		{"CRLF", "#include <unitproof.h>\r\n// c\r\nint main(void)\r\n{\r\n}\r\n", "main@3:5", true},
		{"Latin-1", "#include <unitproof.h>\n// \xe4\xf6\nchar *s = \"\xff\"; void \xe4_x(void); int main(void) { }",
			"main@3:36", true},
		{"UTF-8", "#include <unitproof.h>\nchar *ä = \"ö\"; int main(void) { }", "main@2:22", true},
		{"BOM", "\ufeff#include <unitproof.h>\nint main(void) { }", "main@2:5", true},
		{"NUL", "#include <unitproof.h>\n\x00\x00int main(void) { }", "main@2:7", true},
		{"empty", "", "", false},
		{"saved counterexample",
			"/*\n * x is 3\n *\n * A counterexample of unitproof with its inputs; this file needs no other.\n */\n#if UNIT " +
				"== 1\nvoid assume(_Bool);\nint main(void) { }\n#endif", "", false},
		{"words of one", "/* Like main. */\n#include <unitproof.h>\n/* A counterexample of unitproof with its inputs " +
			"*/\nint main(void) { }", "main@4:5", true},
		{"open comment", "#include <unitproof.h>\nint main(void) { } /* int a_proof(void) {}", "main@2:5", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := ReadSource([]byte(test.text))
			var got []string
			for _, e := range src.Entries {
				got = append(got, fmt.Sprintf("%s@%d:%d", e.Name, e.Line, e.Column))
				if e.EndLine < e.Line {
					t.Errorf("%s ends on line %d", e.Name, e.EndLine)
				}
			}
			if s := strings.Join(got, " "); s != test.want {
				t.Errorf("got %q, want %q", s, test.want)
			}
			if src.UsesLanguage != test.uses && len(src.Entries) > 0 {
				t.Errorf("uses the language: %v", src.UsesLanguage)
			}
			if d := discover([]byte(test.text)); d.HoldsProofs() != src.HoldsProofs() {
				t.Error("discover sees it differently")
			}
		})
	}
}

func TestWalk(t *testing.T) {
	root := write(t, map[string]string{
		"a_harness.c": harness, "b.h": harness, "C.C": harness, "sub/c_harness.c": harness, ".git/x.c": harness,
		".hidden.c":          harness,
		"node_modules/p/x.c": harness, "build/CMakeCache.txt": "", "build/x.c": harness, "build/sub/x.c": harness,
		"target/CACHEDIR.TAG": "", "target/x.c": harness, "target/sub/x.c": harness,
		"prog.c": "int main(void) { return 0; }",
	})
	if err := os.Symlink(root, filepath.Join(root, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("none", filepath.Join(root, "dangling.c")); err != nil {
		t.Fatal(err)
	}
	if got := names(list(t, open(t, root, Flags{}))); got != "C a c" {
		t.Errorf("got %q", got)
	}
	// A folder that is skipped during a walk can still be an argument.
	if got := names(list(t, open(t, root, Flags{}), "build")); got != "build/x build/sub/x" &&
		got != "build/sub/x build/x" {
		t.Errorf("got %q", got)
	}
}

// filler returns 12 KB of ordinary C.
func filler(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < 12<<10; i++ {
		fmt.Fprintf(&b, "/* Adds %d to what the domain sends; the remainder is kept. */\nstatic int add_%d_%d(struct node "+
			"*n, int x)\n{\n\tif (n->value > x && find_next(n) != NULL)\n\t\treturn n->value + %d;\n\tfor (int i = 0; i < "+
			"10; i++)\n\t\tn->sum += i * x;\n\treturn append_item(n, \"text %%d\", x);\n}\n\n", i, n, i, i)
	}
	return b.String()
}

func manyFiles(t testing.TB, n int) string {
	files := map[string]string{".git/HEAD": ""}
	text := filler(0)
	for i := range n {
		extra := ""
		if i%10 == 0 {
			extra = "int main(int argc, char **argv) { return argc; }\n"
		}
		files[fmt.Sprintf("m%02d/s%d/f%d.c", i%50, i%7, i)] = text + extra
	}
	return write(t, files)
}

// TestScanIsFast checks the limit of 2 s for 10,000 files (see the benchmark) on a fifth of them. It measures processor
// time, since the machine may be busy.
func TestScanIsFast(t *testing.T) {
	root := manyFiles(t, 2000)
	start := processorTime(t)
	if got := list(t, open(t, root, Flags{})); len(got) != 0 {
		t.Fatalf("found %d proofs", len(got))
	}
	took := processorTime(t) - start
	t.Logf("2,000 files of 12 KB: %v", took)
	if took > 2*time.Second {
		t.Errorf("scanning took %v of the processor", took)
	}
}

// processorTime returns the processor time that this process has used so far, on all cores.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkProofs10000Files(b *testing.B) {
	root := manyFiles(b, 10000)
	for b.Loop() {
		list(b, open(b, root, Flags{}))
	}
}

func BenchmarkReadSource(b *testing.B) {
	text := []byte(filler(1) + harness)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		ReadSource(text)
	}
}

func FuzzReadSource(f *testing.F) {
	f.Add([]byte(harness))
	f.Add([]byte("#if 0\nint main(void){}\n#else\nint a_proof(void){}\n#endif\n"))
	f.Add([]byte("int (*get_proof(void))(int) { return 'x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		src := ReadSource(text)
		lines := strings.Split(string(text), "\n")
		for _, e := range src.Entries {
			if !strings.HasPrefix(lines[e.Line-1][e.Column-1:], e.Name) || !IsEntryName(e.Name) {
				t.Fatalf("%+v is not in the text", e)
			}
		}
		csource.DefinedNames(text)
		csource.OuterNames(text)
	})
}
