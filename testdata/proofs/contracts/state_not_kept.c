/*
An invariant that is true in each execution and that an iteration need not keep: it allows states which no execution has.
What the loop writes is found out.
verdict: bounded
*/
#include <unitproof.h>

static unsigned doubled(unsigned n) {
  unsigned i = 0, twice = 0;
  while (i < n)
  __CPROVER_loop_invariant(twice <= 3 * i && i <= n) // want bounded loop-invariant // want bounded unwinding
  {
    if (twice == 2 * i + 1) twice += 2;
    twice += 2;
    i++;
  }
  return twice;
}

int main(void) {
  unsigned n = nd_uint();
  assume(n < 100000);
  doubled(n);
  return 0;
}
