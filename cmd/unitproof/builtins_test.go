package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/vcgen/found"
)

var updateBuiltins = flag.Bool("update-builtins", false, "rewrite docs/builtins.md")

// builtinsMajor is the version of clang that docs/builtins.md describes.
const builtinsMajor = 19

// elsewhereBuiltins matches builtins of other languages, for the instructions of one machine, or for types that C
// lacks.
var elsewhereBuiltins = regexp.MustCompile(
	`^(_Interlocked|__opencl|__scoped_atomic|__builtin_(coro|hlsl|ptrauth|objc|` +
		`os_log|sycl|omp|operator|ia32|_?_?CFString|_?_?NSString|astype|__|FUNCSIG|source_location|preserve|btf|get_device|` +
		`ms_va|matrix|annotation|call_with_static_chain|dump_struct|load_half|store_half|readsteady)|__sync_.*_[0-9]+$|` +
		`.*f128$)`)

// builtinArguments are argument lists to try for calls of builtins, in this order, first without conversions.
var builtinArguments = []string{"", "d", "f", "ld", "i", "u", "l", "n", "ll", "ull", "uc", "us", "h", "dc", "fc", "ldc",
	`"x"`, "d, d", "f, f", "ld, ld", "h, h", "d, i", "f, i", "ld, i", "h, i", "d, l", "f, l", "ld, l", "d, ld", "f, ld",
	"d, &i", "f, &i", "ld, &i", "d, &d", "f, &f", "ld, &ld", "d, d, &i", "f, f, &i", "ld, ld, &i", "d, d, d", "f, f, f",
	"ld, ld, ld", "h, h, h", "dc, dc", "fc, fc", "ldc, ldc", "0, 1, 4, 3, 2, d", "d, 3", "i, i", "u, u", "l, l", "n, n",
	"ll, ll", "uc, uc", "us, us", "ull, ull", "l, l, 0.5", "i, i, &i", "u, u, &u", "l, l, &int_array[0]", "ll, ll, &ll",
	"n, n, &n",
	"ull, ull, &ull", "u, u, u, &u", "n, n, n, &n", "ull, ull, ull, &ull", "uc, uc, uc, &uc", "us, us, us, &us", "p", "s",
	"&i", "cs", "p, i, n", "p, i, 8", "p, cs, n", "p, cs, 8", "p, n", "p, 16", "p, 0", "cs, cs", "s, cs", "s, cs, n",
	"cs, cs, n", "cs, i", "s, i", "w, w2, n", "w, w2", "w", "w, 'x'", "w, 'x', n", "cs, n", "s, n", "n, 64",
	"v", "v, v", "v, v, v", "fv", "fv, fv", "fv, fv, fv", "v, 0, 1, 2, 3", "v, v, 0, 1, 4, 5", "v, vf",
	"&i, i", "&i, i, i", "&i, 5", "&i, i, 5", "&i, &i, 5", "&i, &i, &i, 5", "&i, &i, i, 5, 5", "&i, &i, i, 0, 5, 5",
	"&i, &i, &i, 0, 5, 5", "&ai, 5", "&ai, i", "&ai, i, 5", "&ai, &i, i, 5, 5", "4", "5", "4, &i", "i, &i",
	"int, int", "1, i, d", "struct pair, b", "int, i", "fv, v4", `cs, i`, `s, cs, i`, `s, n, cs, i`, `s, 0, n, cs, i`,
	`s, n, 0, n, cs, i`, `"sse2"`, `"intel"`, "s, n, cs, va", "s, cs, va", "cs, va", "va", "va, va", "p, 3.0", "b5",
	`"x", "y"`}

// builtinPrelude has the types of the arguments, builtinVariables the variables, with arbitrary content.
const (
	builtinPrelude = `#include <stdarg.h>
#include <stddef.h>
#include <unitproof.h>
struct pair { int a, b; };
typedef int vector __attribute__((vector_size(16)));
typedef float fvector __attribute__((vector_size(16)));
typedef vector v4;
#define vf fvector
`
	builtinVariables = `double d = nd_double(); float f = nd_float(); int i = nd_int();
unsigned u = nd_uint(); long l = nd_long(); size_t n = nd_size_t(); long long ll = nd_long();
unsigned long long ull = nd_size_t(); unsigned char uc = nd_uint8_t(); unsigned short us = nd_uint16_t(); _Float16 h = 1;
_Complex double dc = d; _Complex float fc = f; char s[32] = "text", other[32] = "more";
void *p = s; const char *cs = other; wchar_t w[8] = L"wide", w2[8] = L"more"; vector v = {i, i, i, i};
fvector fv = {f, f, f, f}; _Atomic int ai = 1; void *b5[5]; va_list va; long int_array[4]; struct pair b;
`
	builtinLongDoubles = "long double ld = 1; _Complex long double ldc = 1;\n"
)

var usesLongDouble = regexp.MustCompile(`\bldc?\b`)

// builtinNames returns the compiler's builtins: names in its library for which __has_builtin is true.
func builtinNames(t *testing.T, compiler string) []string {
	t.Helper()
	real, err := filepath.EvalSymlinks(compiler)
	if err != nil {
		t.Fatal(err)
	}
	libraries, _ := filepath.Glob(filepath.Join(filepath.Dir(real), "..", "lib", "libclang-cpp.so*"))
	names := map[string]bool{}
	pattern := regexp.MustCompile(`\x00(__(?:builtin|sync|c11_atomic|atomic)_\w+|__assume|__debugbreak|` +
		`__arithmetic_fence|__warn_memset_zero_len)\x00`)
	for _, file := range append(libraries, real) {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for at := 0; ; {
			m := pattern.FindSubmatchIndex(data[at:])
			if m == nil {
				break
			}
			if name := string(data[at+m[2] : at+m[3]]); !elsewhereBuiltins.MatchString(name) {
				names[name] = true
			}
			at += m[3]
		}
	}
	var ask strings.Builder
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&ask, "#if __has_builtin(%s)\nHAS %[1]s\n#endif\n", name)
	}
	cmd := exec.Command(compiler, "-E", "-P", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(ask.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "HAS "); ok {
			list = append(list, name)
		}
	}
	if len(list) < 300 {
		t.Fatalf("%d names found in the library of %s", len(list), compiler)
	}
	return list
}

// builtinCalls returns, by name, a call of each builtin that compiles.
func builtinCalls(t *testing.T, compiler, headers string, names []string) map[string]string {
	t.Helper()
	calls := map[string]string{}
	for _, strict := range []string{"-Werror=conversion", "-Wno-conversion"} {
		var text bytes.Buffer
		text.WriteString(builtinPrelude + "void all(void) {\n" + builtinVariables + builtinLongDoubles)
		lines := map[int][2]string{}
		line := strings.Count(text.String(), "\n")
		for _, name := range names {
			if calls[name] != "" {
				continue
			}
			for _, args := range builtinArguments {
				line++
				lines[line] = [2]string{name, args}
				fmt.Fprintf(&text, "%s(%s);\n", name, args)
			}
		}
		text.WriteString("}\n")
		cmd := exec.Command(compiler, "-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics", "-Wno-everything", strict,
			"-Werror=implicit-function-declaration", "-Werror=int-conversion", "-Werror=incompatible-pointer-types",
			"-I", headers, "-x", "c", "-")
		cmd.Stdin = &text
		out, _ := cmd.CombinedOutput()
		if !bytes.Contains(out, []byte("<stdin>:")) {
			t.Fatalf("no errors: %s", out)
		}
		for _, m := range regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: (?:fatal )?error`).FindAllSubmatch(out, -1) {
			at, _ := strconv.Atoi(string(m[1]))
			delete(lines, at)
		}
		for _, at := range slices.Sorted(maps.Keys(lines)) {
			if c := lines[at]; calls[c[0]] == "" {
				calls[c[0]] = c[0] + "(" + c[1] + ")"
			}
		}
	}
	return calls
}

// TestBuiltins checks a call of each builtin of clang with arbitrary arguments: it is computed, checked, a function
// of the library, or unknown with a reason. docs/builtins.md lists the results, and the builtins that clang does not
// compile. It takes one in four builtins, unless it is to take all.
func TestBuiltins(t *testing.T) {
	compiler, err := clang.Find(context.Background(), "")
	if err != nil || compiler.Major != builtinsMajor {
		t.Skipf("docs/builtins.md tells of clang %d: %v", builtinsMajor, err)
	}
	program, cache, dir := buildProgram(t), t.TempDir(), t.TempDir()
	headers, err := clang.Headers()
	if err != nil {
		t.Fatal(err)
	}
	names := slices.DeleteFunc(builtinNames(t, compiler.Clang), func(name string) bool { return !sampledBuiltin(t, name) })
	calls := builtinCalls(t, compiler.Clang, headers, names)
	callLine := map[string]int{}
	for name, call := range calls {
		variables := builtinVariables
		if usesLongDouble.MatchString(call) {
			variables += builtinLongDoubles
		}
		head := builtinPrelude + "int main(void) {\n" + variables
		callLine[name] = strings.Count(head, "\n") + 1
		text := head + "  " + call + ";\n  sassert(nd_int() != 4242);\n}\n"
		if err := os.WriteFile(filepath.Join(dir, name+".c"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "check", "--timeout", "20s", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "XDG_CACHE_HOME="+cache)
	doc, said, _ := document(t, cmd)
	groups := map[string][]string{}
	add := func(group, name string) { groups[group] = append(groups[group], "`"+name+"`") }
	for i := range doc.Proofs {
		p := &doc.Proofs[i]
		name := strings.TrimSuffix(filepath.Base(p.File), ".c")
		checks := map[string]bool{}
		behind, why, follows := found.Verdict(""), "", false
		for j := range p.Obligations {
			o := &p.Obligations[j]
			if o.Kind == found.Assertion && strings.Contains(o.Message, "4242") {
				behind, why, follows = o.Verdict, o.Reason, o.Behind()
			} else if o.Verdict != found.Unreached && o.Line == callLine[name] {
				checks[string(o.Kind)] = true
			}
		}
		kinds := strings.Join(slices.Sorted(maps.Keys(checks)), ", ")
		switch library := slices.ContainsFunc(p.Assumptions,
			func(a diagnostics.Assumption) bool { return a.Kind == "missing-body" }); {
		case len(p.Errors) > 0:
			add("not compiled: "+p.Errors[0].Message, name)
		case behind == found.Unknown && !follows:
			why, _, _ = strings.Cut(why, " at "+name)
			add("unknown: "+why, name)
		case library:
			add("a function of the library without a model: any result, and what needs one is unknown", name)
		case behind == found.Vacuous && kinds != "":
			add("ends the execution; checked: "+kinds, name)
		case behind == found.Vacuous:
			add("ends the execution", name)
		case kinds != "":
			add("executed; checked: "+kinds, name)
		case behind == found.Failed:
			add("executed", name)
		default:
			add("the assertion behind it is "+string(behind), name)
		}
	}
	for _, name := range names {
		if calls[name] == "" {
			add("no call found that compiles", name)
		}
	}
	for group := range groups {
		if strings.Contains(group, "internal error") || strings.HasPrefix(group, "the assertion") {
			t.Errorf("%s: %v\n%s", group, groups[group], said)
		}
	}
	compareBuiltins(t, groups)
}

// compareBuiltins compares the results with docs/builtins.md.
func compareBuiltins(t *testing.T, groups map[string][]string) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `# Clang's builtins

Each builtin of clang %d for C on x86-64, called with arbitrary arguments, and what "check" makes of the call.
TestBuiltins finds the names in the compiler's library, finds arguments that compile, and writes this page
(go test ./cmd/unitproof -run TestBuiltins -update-builtins). Builtins of one machine's instructions
(__builtin_ia32_...) are computed if clang makes plain instructions of them, and unknown otherwise.

Clang itself drops the condition of a __builtin_assume that has side effects: it is neither evaluated nor checked.

| what is done | builtins |
|---|---|
`, builtinsMajor)
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		slices.Sort(groups[group])
		fmt.Fprintf(&b, "| %s | %s |\n", strings.ReplaceAll(group, "|", "\\|"), strings.Join(groups[group], " "))
	}
	page := filepath.Join("..", "..", "docs", "builtins.md")
	if *updateBuiltins {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if want := sampleOfBuiltins(t, string(old)); want != b.String() {
		t.Errorf("docs/builtins.md differs (rewrite it with -update-builtins, and read it):\n%s\nand expected\n%s",
			b.String(), want)
	}
}

func sampledBuiltin(t *testing.T, name string) bool { return *updateBuiltins || sampled(t, name, 4) }

// sampleOfBuiltins returns docs/builtins.md without the builtins that are not in the sample.
func sampleOfBuiltins(t *testing.T, page string) string {
	var b strings.Builder
	for line := range strings.Lines(page) {
		columns := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || !strings.Contains(line, "`") {
			b.WriteString(line)
			continue
		}
		list := strings.Fields(strings.TrimSuffix(strings.TrimSpace(columns[len(columns)-1]), " |"))
		list = slices.DeleteFunc(list, func(name string) bool { return !sampledBuiltin(t, strings.Trim(name, "`")) })
		if len(list) > 0 {
			columns[len(columns)-1] = strings.Join(list, " ") + " |\n"
			b.WriteString(strings.Join(columns, " | "))
		}
	}
	return b.String()
}
