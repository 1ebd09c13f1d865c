package flow

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/flow/flowtest"
)

// TestBounds checks that the result of a call is a bound if a variable holds it that decides when a loop is left. No
// other function may be called in between.
func TestBounds(t *testing.T) {
	const before = `
unsigned long nd(void); void use(void *);
static int f(void) { return 3; }
static int g(int x) { return x + 1; }
int t(int *a, int m) {
  int n = 0, s = 0;
`
	for body, want := range map[string]bool{
		"n = f(); for (int i = 0; i < n; i++) s += a[i]; return s;":                                 true,
		"n = f(); for (unsigned long i = 0; i < (unsigned long)n; i++) s += a[i]; return s;":        true,
		"n = f(); if (n < 0) return n; for (int i = 0; i < n; i++) s += a[i]; return s;":            true,
		"n = f(); for (int i = n - 1; i >= 0; i--) s += a[i]; return s;":                            false,
		"n = f(); for (int i = 0; i + 1 < n; i++) s += g(a[i]); return s;":                          true,
		"n = f(); for (int i = 0; i < m && i < n; i++) s += a[i]; return s;":                        true,
		"n = f(); use(a); for (int i = 0; i < n; i++) s += a[i]; return s;":                         true,
		"n = f(); s = g(1); for (int i = 0; i < n; i++) s += a[i]; return s;":                       false,
		"n = f(); for (int i = 0; i < n; i++) a[i] = 0; g(1); return s;":                            true,
		"n = f(); for (int i = 0; i < n; i++) a[i] = 0; g(1); for (; s < n; s++) ; return s;":       false,
		"n = f(); while (n > 0) { s += a[n]; n--; } return s;":                                      false,
		"n = f(); for (int i = 0; i < m; i++) s += a[i]; return s + n;":                             false,
		"n = f(); use(&n); for (int i = 0; i < n; i++) s += a[i]; return s;":                        false,
		"n = nd(); for (int i = 0; i < n; i++) s += a[i]; return s + f();":                          false,
		"n = 2 * f(); for (int i = 0; i < n; i++) s += a[i]; return s;":                             false,
		"for (int j = 0; j < m; j++) { n = f(); for (int i = 0; i < n; i++) s += a[i]; } return s;": true,
		"for (int i = 0; i < f(); i++) s += a[i]; return s;":                                        false,
	} {
		got, calls := someCall(t, before+body+"\n}", "f", (*Function).Bounds)
		if calls == 0 || got != want {
			t.Errorf("%s: %v of %d calls, want %v", body, got, calls, want)
		}
	}
}

// TestReturnedCursors checks that a returned cursor keeps states separate up to the return, for callers that request
// it. So does the variable that holds the result. Any other cursor ends with the walk.
func TestReturnedCursors(t *testing.T) {
	const walk = `
int t(const char *s, char *out, int max) {
  int i = 0, k = 0;
  while (s[i]) {
    while (s[i] == ' ') i++;
    if (k >= max) return -1;
    out[k] = s[i];
    k++; i++;
  }
`
	for end, want := range map[string][]string{
		"return k;":                     {"k"},
		"return i;":                     {"i"},
		"if (max) return i;\nreturn k;": {"i", "k"},
		"return 0;":                     nil,
		"return k + 1;":                 nil,
		"max = k; return max;":          nil,
	} {
		m := flowtest.Read(t, clangtest.Compile(t, walk+end+"\n}"))
		fn := NewProgram(m).Function(m.FuncByName["t"])
		returned := map[string]bool{}
		slot := 0
		for b := range fn.Nodes {
			for _, a := range fn.Nodes[b].Cursors {
				if k := fn.Cursors[a.Cursor]; a.Returned && k.Walks() {
					returned[fn.RegName(k.reg)] = true
				} else if a.Returned {
					slot++
				}
			}
		}
		if len(returned) != len(want) || (slot > 0) != (len(want) > 0) {
			t.Errorf("%s: %v are returned, the result is kept in %d blocks; want %v", end, returned, slot, want)
		}
		for _, v := range want {
			if !returned[v] {
				t.Errorf("%s: %v are returned, want %v", end, returned, want)
			}
		}
	}
}
