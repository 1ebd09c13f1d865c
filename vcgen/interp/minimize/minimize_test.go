package minimize

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
)

// TestMinimize checks the minimized inputs of programs with unnecessarily large inputs, and that they are
// deterministic.
//
// The violation must remain the same.
func TestMinimize(t *testing.T) {
	tests := []struct {
		name, src string
		in        interptest.Script
		want      string
	}{
		{name: "what does not matter is zero, an index the first bad one", src: `
int main(void) {
  int noise = nd_int(), v[8] = {0};
  unsigned i = nd_uint();
  assume(i != noise);
  unsigned *p = (unsigned *)v;
  p[i] = 1;
}`, in: interptest.Script{Values: []int64{123456, 4000000}}, want: "noise = 0, i = 8"},
		{name: "one reason is enough", src: `
int main(void) {
  int a = nd_int(), b = nd_int();
  sassert(a >= -20 && b < 1000);
}`, in: interptest.Script{Values: []int64{-1 << 31, 5000}}, want: "a = -21, b = 0"},
		{name: "only below a bound", src: `
int main(void) {
  int a = nd_int();
  sassert(a >= -20);
}`, in: interptest.Script{Values: []int64{-1 << 31}}, want: "a = -21"},
		{name: "numbers that belong together", src: `
#include <stdlib.h>
int main(void) {
  size_t n = nd_size_t(), i = nd_size_t();
  assume(n >= 3 && i == n + 2);
  char *p = malloc(n);
  assume(p);
  p[i] = 1;
}`, in: interptest.Script{Values: []int64{900, 902}}, want: "n = 3, i = 5"},
		{name: "remainders", src: `
int main(void) {
  unsigned x = nd_uint();
  sassert(x % 82 != 81);
}`, in: interptest.Script{Values: []int64{82*5000 + 81}}, want: "x = 81"},
		{name: "allocations succeed, text is readable", src: `
#include <stdlib.h>
int main(void) {
  char *a = malloc(4);
  char text[6];
  memhavoc(text, sizeof text);
  text[5] = 0;
  sassert(text[0] == 0 || text[1] == 0 || text[2] == 0);
}`, in: interptest.Script{Fails: map[int]bool{0: true}, Fill: func(choice.Kind, string, uint64) byte { return 0xEE }}, want: `text = "aaa"`},
		{name: "a sum", src: `
int main(void) {
  unsigned a = nd_uint(), b = nd_uint(), c = nd_uint();
  assume(a + b == c);
  sassert(!(a > 3 && b > 5));
}`, in: interptest.Script{Values: []int64{1 << 31, 1<<31 - 1, 1<<32 - 1}}, want: "a = 4, b = 6, c = 10"},
		{name: "a sum that wraps around", src: `
int main(void) {
  uint64_t a = nd_uint64_t(), b = nd_uint64_t(), c = nd_uint64_t();
  assume(a + b == c && c >= 1000);
  sassert(a < 10 || b < 10);
}`, in: interptest.Script{Values: []int64{1<<63 - 8, -1 << 63, -8}}, want: "a = 12, b = 988, c = 1000"},
		{name: "a difference", src: `
#include <stdlib.h>
int main(void) {
  size_t start = nd_size_t(), end = nd_size_t(), len = nd_size_t();
  assume(start <= end && end - start == len && len >= 2);
  char *p = malloc(len);
  if (p)
    p[end - start] = 1;
}`, in: interptest.Script{Values: []int64{1<<62 - 8, 1<<62 + 1, 9}}, want: "start = 0, end = 2, len = 2"},
		{name: "equal ones", src: `
int main(void) {
  size_t n = nd_size_t(), m = nd_size_t(), k = nd_size_t();
  assume(n == m && m == k && n > 4);
  sassert(n < 4);
}`, in: interptest.Script{Values: []int64{-1, -1, -1}}, want: "n = 5, m = 5, k = 5"},
		{name: "a product, and a sum of three", src: `
int main(void) {
  uint16_t a = nd_uint16_t(), b = nd_uint16_t();
  uint32_t c = nd_uint32_t();
  int x = nd_int(), y = nd_int(), z = nd_int();
  assume((uint32_t)a * b == c && x > -100000 && x < 1000000 && y > -1000000 && y < 1000000 && x + y == z);
  sassert(a < 5 || b < 3 || z != 2 * x + 7);
}`, in: interptest.Script{Values: []int64{32769, 32767, 32769 * 32767, 983032, 983039, 1966071}}, want: "a = 5, b = 3, c = 15, x = 0, y = 7, z = 7"},
		{name: "what comes behind the violation costs nothing", src: `
int main(void) {
  unsigned a = nd_uint(), b = nd_uint(), c = nd_uint(), d = nd_uint(), sum = 0;
  sassert(a <= 70000 || b <= 80000 || c <= 90000 || d <= 60000);
  for (unsigned i = 0; i < 100000; i++)
    sum += i;
  return (int)sum;
}`, in: interptest.Script{Values: []int64{1<<32 - 1, 1<<32 - 2, 1<<32 - 3, 1<<32 - 4}}, want: "a = 70001, b = 80001, c = 90001, d = 60001"},
		{name: "the violation is in the second round", src: `
static unsigned limit(unsigned n) {
  for (unsigned i = 0; i < 100; i++)
    n ^= i & 1;
  sassert(n < 77);
  return n;
}
int main(void) {
  unsigned a = nd_uint(), b = nd_uint(), rounds = 0, n = a % 50;
again:
  n = limit(n);
  if (rounds++ < 3) {
    n = b;
    goto again;
  }
}`, in: interptest.Script{Values: []int64{1 << 30, 1<<32 - 1}}, want: "a = 0, b = 77"},
		{name: "numbers in memory", src: `
int main(void) {
  unsigned v[4];
  memhavoc(v, sizeof v);
  assume(v[0] + v[1] + v[2] + v[3] == 5000);
  sassert(v[1] != v[2] || v[0] < v[3]);
}`, in: interptest.Script{Fill: func(_ choice.Kind, _ string, off uint64) byte {
			return []byte{0x88, 0x13, 0, 0x80, 0, 0, 0, 0x40, 0, 0, 0, 0x40, 0, 0, 0, 0}[off%16]
		}}, want: "v = {5000, 0, 0, 0}"},
		{name: "round floats", src: `
int main(void) {
  double s = nd_double(), noise = nd_double();
  assume(noise == noise);
  sassert(s < 2500.0);
}`, in: interptest.Script{Values: []int64{int64(math.Float64bits(3874.29384)), int64(math.Float64bits(1e-17))}}, want: "s = 10000.0, noise = 0.0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := interptest.CompileText(t, test.src)
			opts := interptest.Options()
			var got [2]string
			for k := range got {
				in := test.in
				again, first := Inputs(context.Background(), m, "main", in.Choose, opts)
				o := interp.Run(context.Background(), m, "main", again(), opts)
				if first.Violation == nil || o.Violation == nil || o.Violation.Kind != first.Violation.Kind ||
					*o.Violation.Loc != *first.Violation.Loc {
					t.Fatalf("%s became %s", interptest.Summary(first), interptest.Summary(o))
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
	// Inputs without a violation remain unchanged.
	m := interptest.CompileText(t, "int main(void) { int x = nd_int(); sassert(x < 7); }")
	in := &interptest.Script{Values: []int64{3}}
	again, first := Inputs(context.Background(), m, "main", in.Choose, interp.Options{
		Semantics: found.Semantics{Checks: found.DefaultChecks()}})
	if first.End != interp.EndReturn || interp.Run(context.Background(), m, "main", again(),
		interptest.Options()).Inputs[0].Value != "3" {
		t.Errorf("an execution without a violation was changed: %s", interptest.Summary(first))
	}
}
