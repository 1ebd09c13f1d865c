/*
A loop with a contract in a function that a loop with a contract calls.
verdict: proved
obligations: 1
*/
#include <unitproof.h>
static unsigned count(unsigned n) {
  unsigned i = 0;
  while (i < n)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= n)
  {
    i++;
  }
  return i;
}
int main(void) {
  unsigned n = nd_uint();
  sassert(count(n) == n);
  unsigned k = nd_uint(), t = 0, j = 0;
  while (j < k)
  __CPROVER_assigns(j, t)
  __CPROVER_loop_invariant(j <= k && (j == 0 || t == n))
  {
    t = count(n);
    j++;
  }
  sassert(k == 0 || t == n);
}
