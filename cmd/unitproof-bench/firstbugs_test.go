package main

import (
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// TestSeeds checks the change that each rule makes in a function.
func TestSeeds(t *testing.T) {
	const text = `int other(void) { return 1 < 2; }
int f(char *p, const char *q, int n) {
  if (!p) return -1;
  if (n < 0 || n >= 8) { return -1; }
  for (int i = 0; i < n - 1; i++) p[i] = 0;
  memcpy(p, q, n);
  return 0;
}
`
	want := []string{
		"bound, line 4: < → <=", "off by one, line 5: - 1 → ", "dropped check, line 4: n < 0 || n >= 8 → 0",
		"dropped NULL check, line 3: !p → 0", "wrong size, line 6:  →  + 1",
	}
	f, ok := csource.NewSource([]byte(text)).Function("f")
	if !ok {
		t.Fatal("no function f")
	}
	for i, seed := range seeds {
		b, ok := seed([]byte(text), f.Body, f.End)
		if !ok {
			t.Errorf("%s: no place", want[i])
			continue
		}
		if got := b.describe([]byte(text)); got != want[i] {
			t.Errorf("got %q, want %q", got, want[i])
		}
		if got := string(b.in([]byte(text))); len(got) == len(text) && i != 0 {
			t.Errorf("%s: the text is unchanged", want[i])
		}
	}
}

// TestTokenMutants makes all changes of a function, and compares some of them natively.
func TestTokenMutants(t *testing.T) {
	text := []byte("static int add(int *p, unsigned n) {\n  int s = 0;\n" +
		"  for (unsigned i = 0; i < n % 4; i++)\n    s = s + p[i];\n  return s;\n}\n")
	f, _ := csource.NewSource(text).Function("add")
	texts := map[string]bool{}
	for _, bug := range tokenMutants(text, f.Body, f.End, rand.New(rand.NewSource(1))) {
		texts[string(bug.in(text)[f.Body:])] = true
	}
	for _, want := range []string{"i <= n % 4", "i < n / 4", "i < n % (4 + 1)", "i--", "s - p[i]", "int s = (0 + 1)"} {
		has := func(text string) bool { return strings.Contains(text, want) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(texts)), has) {
			t.Errorf("no mutant has %q", want)
		}
	}
	if testing.Short() {
		return
	}
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := &refactoring{File: "add.c", Function: "add"}
	for _, test := range []struct{ was, is, want string }{
		{"s + p[i]", "p[i] + s", "same code"},
		{"s + p[i]", "s - p[i]", "differs"},
		{"s = s + p[i]", "{ for (volatile int k = 0; k < 1; k++) s += p[i]; }", "no difference in"},
	} {
		other := []byte(strings.Replace(string(text), test.was, test.is, 1))
		if got := new(refactoringFlags).natively(t.Context(), dir, r, text, other); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s, want %s", test.is, got, test.want)
		}
	}
}
