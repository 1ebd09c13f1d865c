package interp

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/seair"
)

// TestMinimize: what is left of inputs that are larger than they need to be, and that it is the
// same every time. The violation has to stay what and where it was.
func TestMinimize(t *testing.T) {
	tests := []struct {
		name, src string
		in        script
		want      string
	}{
		{name: "what does not matter is zero, an index the first bad one", src: `
int main(void) {
  int noise = nd_int(), v[8] = {0};
  unsigned i = nd_uint();
  assume(i != noise);
  unsigned *p = (unsigned *)v;
  p[i] = 1;
}`, in: script{values: []int64{123456, 4000000}}, want: "noise = 0, i = 8"},
		{name: "one reason is enough", src: `
int main(void) {
  int a = nd_int(), b = nd_int();
  sassert(a >= -20 && b < 1000);
}`, in: script{values: []int64{-1 << 31, 5000}}, want: "a = -21, b = 0"},
		{name: "only below a bound", src: `
int main(void) {
  int a = nd_int();
  sassert(a >= -20);
}`, in: script{values: []int64{-1 << 31}}, want: "a = -21"},
		{name: "numbers that belong together", src: `
#include <stdlib.h>
int main(void) {
  size_t n = nd_size_t(), i = nd_size_t();
  assume(n >= 3 && i == n + 2);
  char *p = malloc(n);
  assume(p);
  p[i] = 1;
}`, in: script{values: []int64{900, 902}}, want: "n = 3, i = 5"},
		{name: "remainders", src: `
int main(void) {
  unsigned x = nd_uint();
  sassert(x % 82 != 81);
}`, in: script{values: []int64{82*5000 + 81}}, want: "x = 81"},
		{name: "allocations succeed, text is readable", src: `
#include <stdlib.h>
int main(void) {
  char *a = malloc(4);
  char text[6];
  memhavoc(text, sizeof text);
  text[5] = 0;
  sassert(text[0] == 0 || text[1] == 0 || text[2] == 0);
}`, in: script{fails: map[int]bool{0: true}, fill: func(string, string, uint64) byte { return 0xEE }}, want: `text = "aaa"`},
		{name: "round floats", src: `
int main(void) {
  double s = nd_double(), noise = nd_double();
  assume(noise == noise);
  sassert(s < 2500.0);
}`, in: script{values: []int64{int64(math.Float64bits(3874.29384)), int64(math.Float64bits(1e-17))}}, want: "s = 10000.0, noise = 0.0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := compileText(t, test.src)
			opts := options()
			var got [2]string
			for k := range got {
				in := test.in
				again, first := Minimize(context.Background(), m, "main", &in, opts)
				o := Run(context.Background(), m, "main", again(), opts)
				if first.Violation == nil || o.Violation == nil || o.Violation.Kind != first.Violation.Kind || *o.Violation.Loc != *first.Violation.Loc {
					t.Fatalf("%s became %s", summary(first), summary(o))
				}
				var parts []string
				for _, r := range o.Inputs {
					if r.Kind != "uninitialized" {
						parts = append(parts, fmt.Sprintf("%s = %s", r.Variable, r.Value))
					}
				}
				got[k] = strings.Join(parts, ", ")
			}
			if got[0] != test.want || got[1] != got[0] {
				t.Errorf("got %s and %s, want %s", got[0], got[1], test.want)
			}
		})
	}
	// What does not fail is left alone.
	m := compileText(t, "int main(void) { int x = nd_int(); sassert(x < 7); }")
	in := &script{values: []int64{3}}
	again, first := Minimize(context.Background(), m, "main", in, Options{Checks: seair.DefaultChecks()})
	if first.End != EndReturn || Run(context.Background(), m, "main", again(), options()).Inputs[0].Value != "3" {
		t.Errorf("an execution without a violation was changed: %s", summary(first))
	}
}
