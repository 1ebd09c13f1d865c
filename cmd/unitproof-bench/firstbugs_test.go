package main

import (
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
