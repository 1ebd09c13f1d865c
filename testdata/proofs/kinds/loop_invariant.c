/* The sentence and the trace of loop-invariant; loop_invariant.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned i = 0, n = nd_uint();
  while (i < n)
  __CPROVER_loop_invariant(i < n) // want failed loop-invariant
  {
    i++;
  }
  return 0;
}
