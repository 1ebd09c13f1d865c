package clang

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// TestModelNames checks that the names found in the source are the functions that the models define.
func TestModelNames(t *testing.T) {
	a, err := toolchain(t).models(context.Background(), nil, "x86_64-pc-linux-gnu")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range a.Order {
		if s.Kind == asm.Function && s.Link == asm.Strong {
			want = append(want, s.Name)
		}
		if s.Link == asm.Declared && !strings.HasPrefix(s.Name, "llvm.") && !Builtin(s.Name) &&
			s.Name != "fmod" && // which the engine computes
			!slices.Contains(ofFuzzTarget, s.Name) {
			t.Errorf("the models use %s, which has no body", s.Name)
		}
	}
	slices.Sort(want)
	if have := slices.Sorted(maps.Keys(modelNames())); !slices.Equal(have, want) {
		t.Errorf("names read off the source:\n%q\ndefined:\n%q", have, want)
	}
	for name := range modelNames() {
		if Builtin(name) {
			t.Errorf("%s has a model and is the engine's own", name)
		}
	}
}

// ofFuzzTarget has the names of the program and the settings that the model of libFuzzer uses.
var ofFuzzTarget = []string{"__unitproof_max_len", "__unitproof_given_size", "__unitproof_given_input",
	"LLVMFuzzerInitialize"}

func TestModelsWhereNeeded(t *testing.T) {
	dir := files(t,
		"none.c", "#include <string.h>\n#include <stdlib.h>\n#include <stdio.h>\nint main(void) { char a[3]; memcpy(a, "+
			"\"ab\", 3); memset(a, 0, 3); printf(\"%s\", a); char *p = malloc(2); free(p); abort(); }",
		"len.c", "#include <string.h>\n#include <ctype.h>\n#include <errno.h>\n#include <stdlib.h>\nint main(int n, char "+
			"**v) { errno = 0; return (int)strlen(v[0]) + isalpha('x') + tolower('X') + atoi(\"12\") + abs(errno); }",
		"own.c", "#include <stddef.h>\nsize_t strlen(const char *s) { return 5; }\nint strcmp(const char *, const char "+
			"*);\nint main(int n, char **v) { return (int)strlen(\"abc\") + strcmp(v[0], v[1]); }",
		"other.c", "#include <stddef.h>\nsize_t strlen(const char *s) { return 6; }",
		"wrong.c", "int strlen(); char *strdup(); int main(void) { return strlen(\"abc\", 1) + (strdup(\"x\") != 0); }",
		"pointer.c", "#include <string.h>\nint main(void) { int (*f)(const char *, const char *) = strcmp; return "+
			"f(\"a\", \"b\"); }")
	for _, c := range []struct {
		name, file string
		source     string
		has, not   string
	}{
		{"engine's own", "none.c", "", "main", ""},
		{"what is called, and what that uses", "len.c", "", "__ctype_b_loc __errno_location abs atoi main strlen strtol",
			"strcmp"},
		{"the user's wins", "own.c", "", "main strcmp strlen", "strcpy"}, // although clang could evaluate strlen
		{"the user's in another file wins", "len.c", "other.c", "strlen", ""},
		{"declared wrongly", "wrong.c", "", "main strdup strlen", ""},
		{"by pointer", "pointer.c", "", "main strcmp", "strncmp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Request{Entry: "main", EntryUnit: unit(dir, c.file, "")}
			if c.source != "" {
				r.Sources = []Unit{unit(dir, c.source, "")}
			}
			m := build(t, r)
			have := defined(m)
			for _, f := range strings.Fields(c.has) {
				if !slices.Contains(have, f) {
					t.Errorf("no body of %s: %q", f, have)
				}
			}
			if c.not != "" && slices.Contains(have, c.not) {
				t.Errorf("%s is not needed: %q", c.not, have)
			}
			if c.name == "engine's own" && (len(have) != 1 || strings.Contains(string(m.Text), language.ModelPrefix)) {
				t.Errorf("models without need: %q", have)
			}
			if len(m.Missing) > 0 {
				t.Errorf("missing: %q", m.Missing)
			}
			own := strings.Contains(string(m.Text), "ret i64 5") || strings.Contains(string(m.Text), "ret i64 6")
			if own != (c.file == "own.c" || c.source != "") {
				t.Error("the wrong strlen")
			}
			for _, f := range m.Files {
				if language.IsModelFile(f) {
					t.Errorf("a model is among the files: %s", f)
				}
			}
		})
	}
}

func TestModelPositionsAreRecognised(t *testing.T) {
	dir := files(t, "p.c", "#include <string.h>\nint main(int n, char **v) { return (int)strlen(v[0]); }")
	m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", "")})
	if !strings.Contains(string(m.Text), `!DIFile(filename: "`+language.ModelPrefix+`string.c", directory: "."`) {
		t.Error("no file of a model in the debug information")
	}
	for path, want := range map[string]bool{language.ModelPrefix + "string.c": true,
		"/folder/" + language.ModelPrefix + "string.c": true,
		"/usr/include/string.h":                        false, "models/string.c": false} {
		if language.IsModelFile(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// TestModelArithmeticIsChecked checks that abs(INT_MIN) is an error of the caller, and only if the kind is on.
func TestModelArithmeticIsChecked(t *testing.T) {
	dir := files(t, "p.c",
		"#include <stdlib.h>\n#include <string.h>\nint main(int argc, char **argv) { return abs(argc) + "+
			"(int)strlen(argv[0]); }")
	for on, want := range map[bool]int{true: 1, false: 0} {
		m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""),
			Checks: map[found.Kind]bool{"signed-overflow": on}})
		if have := strings.Count(body(m, "abs"), "call void @__ubsan_handle_negate_overflow_abort"); have != want {
			t.Errorf("signed-overflow %v: %d checks", on, have)
		}
		if text := body(m, "strlen"); text == "" || strings.Contains(text, "__ubsan") {
			t.Errorf("strlen is missing or sanitized:\n%s", text)
		}
	}
}

// body returns the text of a function.
func body(m *Module, name string) string {
	_, text, ok := strings.Cut(string(m.Text), " @"+name+"(")
	for ok && !strings.HasSuffix(text[:strings.Index(text, "\n")], "{") {
		_, text, ok = strings.Cut(text, " @"+name+"(")
	}
	text, _, _ = strings.Cut(text, "\n}\n")
	return text
}

func TestModelsForAnotherTarget(t *testing.T) {
	dir := files(t, "p.c",
		"unsigned strlen(const char *); long strtol(const char *, char **, int);\nint main(void) { return strlen(\"abc\") "+
			"+ strtol(\"1\", 0, 0); }")
	m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", "-m32")})
	if !slices.Contains(defined(m), "strtol") || !strings.Contains(string(m.Text), `target triple = "i386`) {
		t.Errorf("bodies of %q", defined(m))
	}
}

// modelRounds is the number of comparisons of models and C library on random arguments; "make random" sets a larger
// one.
var modelRounds = flag.Int("model-rounds", 8000, "")

// TestModelsAgainstLibrary runs the models natively beside the C library. The strings are short and have few different
// characters, so that special cases are frequent.
func TestModelsAgainstLibrary(t *testing.T) {
	dir := t.TempDir()
	var renamed []string
	for name := range modelNames() {
		renamed = append(renamed, fmt.Sprintf("-D%s=m_%s", name, name))
	}
	renamed = append(renamed, "-Dstdin=m_stdin", "-Dstdout=m_stdout", "-Dstderr=m_stderr",
		"-Dunitproof_lend=malloc")
	slices.Sort(renamed)
	// CBMC's and libFuzzer's functions are not part of a C library.
	texts := map[string][]byte{"models.c": regexp.MustCompile(`(?s)#line 1 "[^"]*(?:cprover|fuzz)\.c".*?(#line|#pragma)`).
		ReplaceAll(modelSource(), []byte("$1"))}
	for _, driver := range []string{"library.c", "values.c"} {
		text, err := os.ReadFile(filepath.Join("testdata", driver))
		if err != nil {
			t.Fatal(err)
		}
		texts[driver] = text
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	clang := toolchain(t).Clang
	run := func(name string, args ...string) {
		t.Helper()
		out, stderr, err := new(Toolchain).Run(context.Background(), dir, name, args, nil)
		if err != nil {
			t.Fatalf("%v: %v\n%s%s", args, err, out, stderr)
		}
		t.Logf("%s", out)
	}
	run(clang, append([]string{"-c", "-g", "-w", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
		"-ffreestanding", "-nostdlibinc", "models.c"}, renamed...)...)
	for driver, checks := range map[string]string{
		"library": "-fsanitize=address,undefined",
		"values":  "-O1", // AddressSanitizer's own scanf and strtod differ from the library's
	} {
		run(clang, "-c", "-g", "-w", "-O1", checks, "-fno-builtin", driver+".c")
		run(clang, "-fsanitize=address,undefined", "models.o", driver+".o", "-lm", "-o", driver)
	}
	// AddressSanitizer's own strtol changes *end although it must not, and its leak check fails under debuggers.
	t.Setenv("ASAN_OPTIONS", "replace_str=0:detect_leaks=0")
	// clang-14's AddressSanitizer crashes at random with high-entropy address layout, so that is off.
	run("setarch", "-R", "./library", strconv.Itoa(*modelRounds))
	t.Setenv("ASAN_OPTIONS", "detect_leaks=0")
	run("setarch", "-R", "./values", strconv.Itoa(*modelRounds))
}
