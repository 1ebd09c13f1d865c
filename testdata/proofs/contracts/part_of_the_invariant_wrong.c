/* verdict: failed
   A clause of the loop, or the assertion behind it, is false in a late iteration. */
#include <stdlib.h>

#include <unitproof.h>

void counter_proof(void) {
  unsigned n = nd_uint(), i = 0, s = 0;
  assume(n <= 100000);
  while (i < n)
  __CPROVER_loop_invariant(i <= n)
  {
    i++;
    s += 2;
    if (i == 77777) s++;
  }
  sassert(s == 2 * n); // want failed assertion
}

void frame_proof(void) {
  unsigned n = nd_uint(), i = 0, k = 0, other = 0;
  assume(n <= 100000);
  while (i < n)
  __CPROVER_assigns(i, k)
  {
    if (nd_bool()) k++;
    i++;
    if (i == 50000) other++; // want failed assigns
  }
  sassert(k <= n); // want bounded assertion
}

void invariant_proof(void) {
  unsigned n = nd_uint(), i = 0, k = 0;
  assume(n < 100000);
  while (i < n)
  __CPROVER_loop_invariant(k == 0) // want failed loop-invariant
  {
    if (i == 90001) k++;
    i++;
  }
  sassert(i == n); // want bounded assertion
}

void measure_proof(void) {
  unsigned n = nd_uint(), i = 0, k = 0, t = 0;
  assume(n < 100000);
  while (i < n)
  __CPROVER_loop_invariant(k <= n)
  __CPROVER_decreases(n - i) // want failed loop-variant
  {
    if (k < i) k++;
    if (i == 5000 && t == 0) t = 1;
    else i++;
  }
  sassert(k <= n);
}
