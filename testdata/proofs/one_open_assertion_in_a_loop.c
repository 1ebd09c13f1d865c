/* verdict: bounded
   An assertion in a loop stays open: no invariant is found for it. What does not rest on it is proved for every number
   of iterations, and what rests on it is not. */
#include <unitproof.h>

void one_open_assertion_proof(void) {
  unsigned n = nd_uint(), seen = 0, even = 0, i;
  unsigned state = 1;
  assume(n <= 100000);
  for (i = 0; i < n; i++) {  // want bounded unwinding
    state = state * 1664525u + 1013904223u;
    sassert(state != 305419896u);  // want bounded assertion
    if (state == 305419896u) seen++;
    even += 2;
    sassert(even <= 200000);
  }
  sassert(i == n);
  sassert(even == 2 * n);
  sassert(seen == 0);  // want bounded assertion
}
