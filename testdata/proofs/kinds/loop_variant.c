/* The sentence and the trace of loop-variant; loop_variant.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned i = 0, n = nd_uint();
  while (i < n)
  __CPROVER_loop_invariant(i <= n)
  __CPROVER_decreases(n - i) // want failed loop-variant
  {
    if (i != 7)
      i++;
  }
  return 0;
}
