package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// rewrite calls Rewrite with pp as the preprocessed text of p.c and original as the text of the file.
func rewrite(t *testing.T, original, pp string) (string, []Name, error) {
	t.Helper()
	out, names, err := Rewrite([]byte("# 1 \"p.c\"\n"+pp), func(file string) []byte {
		if file == "p.c" {
			return []byte(original)
		}
		return nil
	})
	return string(out), names, err
}

// TestPlaces checks that tokens keep their positions in the file although macros moved their columns.
func TestPlaces(t *testing.T) {
	const original = "int f(int   a)\nCONTRACT(\n  req(a  <  LIMIT)\n  req(a > 0)\n)\n{ return  a + ZERO; }\n"
	const pp = "int f(int a)\n__CPROVER_requires(a < 10) __CPROVER_requires(a > 0)\n\n\n\n{ return a + 0; }\n"
	out, names, err := rewrite(t, original, pp)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Name{"f", "p.c", 1, 5}); len(names) != 1 || names[0] != want {
		t.Errorf("functions: %v", names)
	}
	src := readSource([]byte(out))
	for _, want := range []struct {
		token        string
		line, column int
	}{{"return", 6, 3}, {"+", 6, 13}, {"0 ", 6, 15}, {"<", 3, 10}, {">", 4, 9}, {"__unitproof_assume", 3, 3}} {
		at := src.at(strings.Index(out, "*/")) // replaced below
		found := false
		for i := 0; ; {
			n := strings.Index(out[i:], want.token)
			if n < 0 {
				break
			}
			at = src.at(i + n)
			found = found || src.files[at.file] == "p.c" && at.line == want.line && at.column == want.column
			i += n + 1
		}
		if !found {
			t.Errorf("%q does not stand at %d:%d in\n%s", want.token, want.line, want.column, out)
		}
	}
}

// TestPlacesOfClauses checks that a clause has the position and text of its macro call. This holds even if further
// macros wrap it and its condition is full of parentheses.
func TestPlacesOfClauses(t *testing.T) {
	const original = `int f(char *r, int n)
contract(
  requires(n <= 9)
  ensures(bound(r, 0, n, 0, 5))
  ensures(bound(r, 0, n, 0, 4) && n != 7)
  POSITIVE
)
{
  for (int i = 0; i < n; i++)
  loop(
    invariant(i <= n)
    invariant(bound(r, 0, i, 0, 5))
    invariant(bound(r, 0, i, 0, 4))
    decreases(n - i))
  {
    r[i] = i % 5;
  }
  return 1;
}
`
	bound := func(r, lo, hi, least, most string) string {
		return "__CPROVER_forall { unsigned q; ((unsigned)((" + lo + ")) <= (q) && (q) < (unsigned)((" + hi + "))) ==> " +
			"(((int)((" + least + ")) <= (((" + r + "))[(q)])) && ((((" + r + "))[(q)]) < (int)((" + most + ")))) }"
	}
	pp := "int f(char *r, int n)\n__CPROVER_requires(n <= 9) __CPROVER_ensures(" + bound("r", "0", "n", "0", "5") +
		") __CPROVER_ensures(" + bound("r", "0", "n", "0", "4") + " && n != 7) " +
		"__CPROVER_ensures(__CPROVER_return_value > 0)\n\n\n\n\n\n{\n  for (int i = 0; i < n; i++)\n" +
		"  __CPROVER_loop_invariant(i <= n) __CPROVER_loop_invariant(" + bound("r", "0", "i", "0", "5") +
		") __CPROVER_loop_invariant(" + bound("r", "0", "i", "0", "4") +
		") __CPROVER_decreases(n - i)\n\n\n\n\n  {\n    r[i] = i % 5;\n  }\n  return 1;\n}\n"
	out, _, err := rewrite(t, original, pp)
	if err != nil {
		t.Fatal(err)
	}
	src := readSource([]byte(out))
	lines := strings.Split(original, "\n")
	for _, clause := range []string{"bound(r, 0, n, 0, 5)", "bound(r, 0, n, 0, 4) && n != 7", "POSITIVE", "i <= n",
		"bound(r, 0, i, 0, 5)", "bound(r, 0, i, 0, 4)", "n - i"} {
		line := 1 + slices.IndexFunc(lines, func(l string) bool {
			return strings.Contains(l, "("+clause+")") || l == "  "+clause
		})
		column := 1 + len(lines[line-1]) - len(strings.TrimLeft(lines[line-1], " "))
		quoted := `"` + clause + `")`
		at, n := 0, 0
		for {
			k := strings.Index(out[at:], quoted)
			if k < 0 {
				break
			}
			call := strings.LastIndex(out[:at+k], "__unitproof_")
			if p := src.at(call); src.files[p.file] != "p.c" || p.line != line || p.column != column {
				t.Errorf("%s stands at %s:%d:%d, not at line %d, column %d", clause, src.files[p.file], p.line, p.column,
					line, column)
			}
			at, n = at+k+1, n+1
		}
		if n == 0 {
			t.Errorf("%s is not quoted in\n%s", clause, out)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"int f(int x) __CPROVER_requires(x > 0", "1:14: __CPROVER_requires has no condition in parentheses"},
		{"int f(int x) __CPROVER_loop_invariant(1);", "1:14: __CPROVER_loop_invariant belongs to a loop"},
		{"void (*f(int x))(void) __CPROVER_requires(x);", "1:6: a contract of a function whose type is written like this"},
		{"int f(int x, ...) __CPROVER_requires(x);", "1:14: the contract of a function with a variable number of arguments"},
		{"int f(int) __CPROVER_requires(1);", "1:7: a function with a contract needs a name for this parameter"},
		{"int f(size_t) __CPROVER_requires(1);", "1:7: a function with a contract needs a name for this parameter"},
		{"int f(int *p) __CPROVER_requires(!__CPROVER_is_fresh(p, 4));", "1:35: __CPROVER_is_fresh is assumed here"},
		{"int f(int *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4) ==> 1);", "1:34: __CPROVER_is_fresh is assumed here"},
		{"int f(int *p) __CPROVER_requires(__CPROVER_is_fresh(p));", "1:34: __CPROVER_is_fresh takes 2 arguments"},
		{"int f(int x) __CPROVER_requires(__CPROVER_return_value > 0);",
			"1:33: __CPROVER_return_value is allowed in ensures only"},
		{"int f(int x) __CPROVER_requires(__CPROVER_old(x) > 0);", "1:33: __CPROVER_old is allowed in ensures only"},
		{"int f(int x) __CPROVER_assigns(g(x));", "1:32: g is not a supported target of a clause"},
		{"int f(int x) __CPROVER_requires(__CPROVER_obeys_contract(x, g));",
			"1:61: __CPROVER_obeys_contract needs the name of a function with a contract here"},
		{"int g(int); int f(int (*p)(int)) __CPROVER_requires(__CPROVER_obeys_contract(p, g));",
			"1:81: __CPROVER_obeys_contract needs the name of a function with a contract here"},
		{"int f(int (*p)(int)) __CPROVER_requires_contract(p, f);", "1:22: __CPROVER_requires_contract is not understood: "},
		{"int f(int x) __CPROVER_requires(x > 0); int f(int x) __CPROVER_requires(x > 1);",
			"1:54: f has another contract already"},
		{"int f(int x) __CPROVER_requires(x++ < 3);", "1:34: a condition of a contract must have no side effects"},
		{"int f(int x) __CPROVER_requires((x = 3));", "1:36: a condition of a contract must have no side effects"},
		{"int f(int x) { __attribute__((nodebug)) int y; while (x) __CPROVER_loop_invariant(1) { } }",
			"1:31: a variable without debug information"},
		{"void f(int x) { while (x) __CPROVER_frees(x) { } }", "1:27: a frees clause of a loop is not supported"},
		{"void f(int x) { while (x) __CPROVER_ensures(x) { } }", "1:27: __CPROVER_ensures belongs to a function"},
		{"void f(int x) { x++; __CPROVER_loop_invariant(x); }", "1:22: __CPROVER_loop_invariant stands behind the head of " +
			"no loop"},
		{"void f(int x) { goto in; while (x) __CPROVER_loop_invariant(1) { in: x--; } }",
			"1:17: a loop with a contract may not be entered by goto"},
		{"void f(int x) { switch (x) { default: while (x) __CPROVER_loop_invariant(1) { case 1: x--; } } }",
			"1:79: a loop with a contract may not be entered by a switch"},
	} {
		_, _, err := rewrite(t, c.text+"\n", c.text+"\n")
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := fmt.Sprintf("%d:%d: %s", wrong.Line, wrong.Column, wrong.Message); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n%s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestImplication checks that ==> binds weaker than ||, stronger than ?:, and to the right.
func TestImplication(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a || b ==> c && d", "(!(a||b)||(c&&d))"},
		{"a ==> b ==> c", "(!(a)||((!(b)||(c))))"},
		{"x ? a ==> b : c", "x?(!(a)||(b)):c"},
		{"(a ==> b) && c", "((!(a)||(b)))&&c"},
		{"g(a ==> b, c)", "g((!(a)||(b)),c)"},
		{"a <==> b", "(!(a)==!(b))"},
	} {
		text := "int f(int a) __CPROVER_requires(" + c.text + ");\n"
		out, _, err := rewrite(t, text, text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var flat strings.Builder
		for _, row := range strings.Split(out, "\n") {
			if !strings.HasPrefix(row, "#") {
				flat.WriteString(strings.ReplaceAll(row, " ", ""))
			}
		}
		if !strings.Contains(flat.String(), "__unitproof_assume((_Bool)("+c.want+"));") {
			t.Errorf("%s: no %s in %s", c.text, c.want, flat.String())
		}
	}
}

// TestEqualities checks which equalities assign a pointer when a call, or the proof of a contract, assumes them.
func TestEqualities(t *testing.T) {
	const (
		gets    = "unitproof_none) = (void *)" // the value is assigned to a pointer that has no earlier condition
		chooses = "__unitproof_choice() && (*(void **)"
		equal   = " && (__builtin_classify_type" // equality of numbers first, then of the pointer
	)
	for _, c := range []struct {
		clauses string
		gets    int
		marks   string
	}{
		{"ensures(__CPROVER_return_value == p)", 1, gets},
		{"ensures(&p[1] == __CPROVER_return_value)", 1, gets},
		{"assigns(*o) __CPROVER_ensures(*o == p)", 1, gets},
		{"assigns(*s) __CPROVER_ensures(s->at == p)", 1, gets},
		{"assigns(o) __CPROVER_ensures(*o == p)", 0, ""},
		{"ensures(__CPROVER_return_value != p)", 0, ""},
		{"ensures(!(__CPROVER_return_value == p))", 0, ""},
		{"ensures(__CPROVER_return_value == p || p == 0)", 1, chooses},
		{"ensures(__CPROVER_return_value == 0 || __CPROVER_return_value == p)", 2, chooses},
		{"ensures(__CPROVER_return_value != 0 && __CPROVER_return_value == p)", 1, equal},
		{"ensures((a ==> __CPROVER_return_value == p) && (!a ==> __CPROVER_return_value == q))", 2, equal},
		{"requires(*o != p) __CPROVER_assigns(*o) __CPROVER_ensures(*o == p)", 1, "? (void)("}, // of another *o
		{"assigns(*o) __CPROVER_ensures(__CPROVER_return_value == *o)", 0, ""},
		{"ensures(__CPROVER_return_value == p && s->at == __CPROVER_return_value)", 1, gets},
		{"ensures(__CPROVER_is_fresh(__CPROVER_return_value, 4) && s->at == __CPROVER_return_value)", 1, gets},
		{"requires(__CPROVER_is_fresh(p, 8)) __CPROVER_requires(q == &p[1])", 1, gets},
		{"requires(__CPROVER_is_fresh(p, 8)) __CPROVER_requires(p + a == q)", 1, gets},
		{"requires(q != 0 && __CPROVER_is_fresh(p, 8) && p + a == q)", 1, equal},
		{"requires(__CPROVER_is_fresh(p, 8) && (s->flag == p[1]))", 0, ""}, // a bit-field
		{"requires(q == &p[1])", 0, ""},
	} {
		text := "struct s { int flag : 3; int *at; };\nint *f(int *p, int *q, int **o, struct s *s, int a) __CPROVER_" +
			c.clauses + ";\n"
		out, _, err := rewrite(t, text, text)
		if err != nil {
			t.Errorf("%s: %v", c.clauses, err)
			continue
		}
		if got := strings.Count(out, gets); got != c.gets || !strings.Contains(out, c.marks) {
			t.Errorf("%s: %d places get a pointer, want %d and %q in\n%s", c.clauses, got, c.gets, c.marks, out)
		}
	}
}

func TestDefined(t *testing.T) {
	const text = "/* f() __CPROVER_requires(\n */#define WRAP(x) \\\n  { x\nint g(int x) __CPROVER_requires(x);\n" +
		"int f(int x)\n__CPROVER_requires(x > 0)\n" +
		"{ return x; }\nint main(void) { int x; f(x); return 0; }\nint other_harness(void) { int x = 3; return f(x); }\n"
	functions, harnesses := Defined([]byte(text))
	if fmt.Sprint(functions) != "[{f  5 5}]" || fmt.Sprint(harnesses) != "[main]" {
		t.Errorf("functions %v, harnesses %v", functions, harnesses)
	}
}

// TestNoMacros checks that the output uses no macros: it is compiled as preprocessed text, for which clang 22 and later
// define none, not even their own.
func TestNoMacros(t *testing.T) {
	const text = "int g;\nint f(int *p, unsigned n) __CPROVER_requires(__CPROVER_is_fresh(p, n)) __CPROVER_assigns(*p) " +
		"__CPROVER_ensures(*p == __CPROVER_old(*p)) {\n  for (unsigned i = 0; i < n; i++) __CPROVER_assigns(i, g) " +
		"__CPROVER_loop_invariant(i <= n) __CPROVER_decreases(n - i) g++;\n  return *p;\n}\n"
	out, _, err := rewrite(t, text, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.FieldsFunc(out, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	}) {
		if strings.HasPrefix(word, "__") && strings.HasSuffix(word, "__") && word == strings.ToUpper(word) && len(word) > 4 {
			t.Errorf("a macro: %s", word)
		}
	}
}
