package flow

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/flow/flowtest"
)

// TestLoopEnds checks the recognized patterns of loops that end.
func TestLoopEnds(t *testing.T) {
	all, none := Checked{SignedOverflow: true, Memory: true}, Checked{}
	const before = "unsigned nd(void); int any(void); int __unitproof_loops(void); void use(void *);" +
		" void __unitproof_variant(int); int a[9];\nint t(unsigned n, int m, unsigned char c, char *s, char *e) {\n"
	for body, want := range map[string][2]bool{ // with all checks, with none
		"unsigned i = 0; while (i < n) i++; return i;":                                        {true, true},
		"unsigned i; for (i = n; i > 0; i--) any(); return i;":                                {true, true},
		"unsigned i = 0; while (n--) i++; return i;":                                          {true, true},
		"unsigned i = 0; do i++; while (i < n); return i;":                                    {true, true},
		"unsigned i = nd(); while (i != n) i++; return i;":                                    {true, true},
		"unsigned i = 0; while (i < n && any()) i++; return i;":                               {true, true},
		"unsigned i = 0; while (any() || i < n) i++; return i;":                               {false, false},
		"unsigned i = 0; while (i <= n) i++; return i;":                                       {false, false},
		"unsigned i = 0; while (i <= 10) i++; return i;":                                      {true, true},
		"unsigned i = 0; while (i <= -1u) i++; return i;":                                     {false, false},
		"unsigned i = 0; while (i >= 0) i++; return i;":                                       {false, false},
		"unsigned i = 0; while (i < n) i += 2; return i;":                                     {false, false},
		"unsigned i = 0; while (i < n) if (any()) i++; return i;":                             {false, false},
		"unsigned i = 0; while (i < n) { i++; if (any()) i--; } return i;":                    {false, false},
		"unsigned i = 0; while (i < n) { i++; n = nd(); } return i;":                          {false, false},
		"unsigned i = 0; while (i < n) { i++; n++; } return i;":                               {false, false},
		"unsigned i = 0; while (i < n) { i++; i = i; } return i;":                             {false, false},
		"unsigned char i = 0; while (i < m) i++; return i;":                                   {false, false},
		"int i = 0; while (i < m) i += 3; return i;":                                          {true, false},
		"int i = 0; while (any()) i += 3; return i;":                                          {true, false},
		"int i = 0; while (any()) { i += 3; if (any()) i++; } return i;":                      {true, false},
		"int i = 0; while (any()) { i += 3; if (any()) i--; } return i;":                      {false, false},
		"int i = 0; while (any()) if (any()) i++; return i;":                                  {false, false},
		"int i = 0; while (any()) i = (int)((unsigned)i + 3u); return i;":                     {false, false},
		"int i = 0; while (any()) i = (int)((unsigned)i + 5u) - 3; return i;":                 {false, false},
		"int i = 0; while (any()) c++; return c;":                                             {false, false},
		"while (*s) s++; return 0;":                                                           {true, false},
		"while (s != e && *s == ' ') s += 2; return 0;":                                       {true, false},
		"while (s != e) { if (any()) *s = 0; s++; } return 0;":                                {false, false},
		"for (;;) { *s = 0; s += any(); } return 0;":                                          {false, false},
		"for (;;) ; return 0;":                                                                {false, false},
		"while (n < 10) if (n > 20) n++; return n;":                                           {false, false},
		"goto in; while (n > 0) { n--; in: any(); } return n;":                                {true, true},
		"unsigned i = 0; while (any() && i < n) i++; return i;":                               {true, true},
		"unsigned i = 0; while (any() && i < n && any()) i++; return i;":                      {true, true},
		"unsigned i = 0; while ((any() || any()) && i < n) i++; return i;":                    {true, true},
		"unsigned i = 0; while (any() && (any() || i < n)) i++; return i;":                    {false, false},
		"unsigned i = 0; while (!(any() || i >= n)) i++; return i;":                           {false, false},
		"unsigned i = 0; for (;;) { if (i == n) break; i++; } return i;":                      {true, true},
		"unsigned i = 0; for (;;) { if (any()) continue; if (i == n) break; i++; } return i;": {false, false},
		// As without the contract, except for the decreases clause.
		"unsigned i = 0; while (i < n) { use(&i); i++; } return i;":                               {false, false},
		"unsigned i = 0; while (i < n) { if (__unitproof_loops()) use(&i); i++; } return i;":      {true, true},
		"unsigned i = 0; while (i < n) { if (__unitproof_loops() != 3) use(&i); i++; } return i;": {false, false},
		"unsigned i = 0; while (__unitproof_loops() == 3 || i < n) i++; return i;":                {true, true},
		"while (any()) __unitproof_variant(1); return 0;":                                         {true, true},
	} {
		m := flowtest.Read(t, clangtest.Compile(t, before+body+"\n}\n"))
		for k, by := range []Checked{all, none} {
			if got := LoopEnds(m, "t#1", by); got != want[k] {
				t.Errorf("%s: %v with %+v", body, got, by)
			}
		}
	}
}
