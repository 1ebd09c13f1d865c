/*
Without unwinding there is no finding at the loop or the recursion that was cut, but what lies behind is bounded, and so is
the proof.
verdict: bounded
flags: --no-check unwinding --unwind 3
obligations: 3
*/
#include <unitproof.h>

static unsigned depth(unsigned n) { return n ? 1 + depth(n - 1) : 0; }

int main(void) {
  unsigned n = nd_uint(), i;
  sassert(n >= 0);
  if (nd_bool()) {
    sassert(depth(n) <= 3); // want bounded assertion
    return 0;
  }
  for (i = 0; i < n; i++) {
  }
  sassert(i == n); // want bounded assertion
  return 0;
}
