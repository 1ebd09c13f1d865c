/*
Loops that are entered at the second arrival, and do not say what they assign.
verdict: proved
*/
#include <unitproof.h>
void forever_proof(void) {
  unsigned n = nd_uint(), i = 0;
  assume(n > 3);
  while (1)
  __CPROVER_loop_invariant(i <= n)
  __CPROVER_decreases(n - i)
  {
    if (i == n) break;
    i++;
  }
  sassert(i == n);
  for (;;)
  __CPROVER_loop_invariant(i <= n)
  {
    if (i == 0) {
      break;
    }
    i--;
  }
  sassert(i == 0);
}
void do_proof(void) {
  unsigned n = nd_uint(), i = 0, sum = 0;
  assume(n > 0 && n < 1000);
  do
  __CPROVER_loop_invariant(i < n && sum == 3 * i)
  {
    i++;
    sum += 3;
  }
  while (i < n);
  sassert(sum == 3 * n);
}
