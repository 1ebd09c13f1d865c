/*
Where contracts of loops are switched off, what they state wrongly is no matter.
verdict: proved
flags: --loop-contracts=false
obligations: 1
*/
#include <assert.h>

int main(void) {
  unsigned sum = 0, i;
  for (i = 0; i < 4; i++)
  __CPROVER_assigns(i, sum)
  __CPROVER_loop_invariant(i <= 3)
  __CPROVER_decreases(4 - i)
  {
    sum += i;
  }
  assert(sum == 6);
  return 0;
}
