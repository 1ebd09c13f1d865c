/*
What is in the way satisfies an invariant about all elements: each of them is looked at.
verdict: bounded
flags: --unwind 4
*/
#include <unitproof.h>

static void reduce(short *c, unsigned n) {
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(i <= n && __CPROVER_forall { unsigned k; k < i ==> -3329 < c[k] && c[k] < 3329 })
  {
    c[i] = c[i] % 3328;
  }
  sassert(__CPROVER_forall { unsigned k; k < n ==> -3328 < c[k] && c[k] < 3328 }); // want bounded assertion
}

int main(void) {
  short c[256];
  unsigned n = nd_uint();
  assume(n <= 256);
  memhavoc(c, sizeof c);
  reduce(c, n);
  return 0;
}
