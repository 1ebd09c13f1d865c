/*
Loops that are entered at the second arrival, and do not say what they assign.
verdict: failed
*/
#include <unitproof.h>
void forever_proof(void) {
  unsigned n = nd_uint(), i = 0;
  while (1)
  __CPROVER_loop_invariant(i <= n)
  {
    if (i == n) break;
    i++;
  }
  sassert(i > 0); // want failed assertion
}
void kept_proof(void) {
  unsigned n = nd_uint(), i = 0;
  assume(n > 1);
  do
  __CPROVER_loop_invariant(i < 3) // want failed loop-invariant
  {
    i++;
  }
  while (i < n);
  sassert(i >= n);
}
