/* An invariant that is wrong after more iterations than are unrolled: what is found for the other loop rests on it.
flags: --disable executions
verdict: bounded
*/
#include <unitproof.h>

void wrong_late_proof(void) {
  unsigned n = nd_uint(), k = 0, w = 0;
  assume(n <= 100000);
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(i <= n && k <= 300) // want bounded loop-invariant // want bounded unwinding
    k++;
  for (unsigned i = 0; i < k; i++) // want bounded unwinding
    w++;
  sassert(w <= 300); // want bounded assertion
}
