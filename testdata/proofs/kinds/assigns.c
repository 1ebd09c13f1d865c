/* The sentence and the trace of assigns; assigns.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned i = 0, n = nd_uint(), sum = 0;
  while (i < n)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= n)
  {
    sum += i; // want failed assigns
    i++;
  }
  return sum;
}
