package interp_test

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
)

// TestPaddingOfVariableArguments checks that the padding in front of an aligned argument is arbitrary: va_arg with
// another type than the argument's reads it.
func TestPaddingOfVariableArguments(t *testing.T) {
	const src = `static int seventh(int n, ...) {
  __builtin_va_list l;
  __builtin_va_start(l, n);
  int t = 0;
  for (int i = 0; i < 7; i++)
    t = __builtin_va_arg(l, int);
  __builtin_va_end(l);
  return t;
}
int main(void) {
  int t = seventh(0, 1, 2, 3, 4, 5, 6, (__int128)1);
  sassert(t == 0x07070707);
  sassert(t == 0); // want assertion: assertion is false
}
`
	checkRun(t, src, "", func(_ *interp.Options, in *interptest.Script) {
		in.Fill = func(choice.Kind, string, uint64) byte { return 7 }
	})
}
