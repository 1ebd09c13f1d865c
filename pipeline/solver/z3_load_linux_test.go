//go:build !static

package solver

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestLoadZ3 checks that other files are refused, and that the loaded library stays.
func TestLoadZ3(t *testing.T) {
	if err := loadZ3(); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"libnothing_of_that_name.so": "cannot open shared object file",
		"libm.so.6": "it has no function Z3_"} {
		if err := loadZ3File(file); err == nil || !strings.Contains(err.Error(), file) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want: %s", file, err, want)
		}
	}
	c := smt.NewContext()
	s, err := New("z3", c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := c.Var("x", smt.BV(8))
	s.Assert(c.Eq(c.Mul(x, x), c.Int(8, 49)))
	if r := s.Check(t.Context(), nil, 0); r.Answer != smt.Sat {
		t.Errorf("%+v", r)
	}
}
