/*
Each way out of a loop ends its frame: break, return and goto.
verdict: proved
obligations: 1
*/
#include <unitproof.h>
static int f(unsigned n, unsigned k) {
  unsigned i;
  for (i = 0; i < n; i++)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= n)
  {
    if (i == k)
      return 1;
    if (i == k + 1)
      goto out;
    if (i == 77)
      break;
  }
  sassert(i == n || i == 77);
  return 0;
out:
  sassert(i == k + 1);
  return 2;
}
int z;
int main(void) {
  unsigned n = nd_uint(), k = nd_uint();
  int r = f(n, k);
  z = 1;
  sassert(r >= 0 && r <= 2);
}
