/*
A loop in a loop, each with an invariant of its own.
verdict: proved
obligations: 1
*/
#include <unitproof.h>
int main(void) {
  unsigned n = nd_uint(), m = nd_uint(), i = 0, j = 0, c = 0;
  assume(n < 1000 && m < 1000);
  for (i = 0; i < n; i++)
  __CPROVER_assigns(i, j, c)
  __CPROVER_loop_invariant(i <= n && c <= i * 1000)
  {
    for (j = 0; j < m; j++)
    __CPROVER_assigns(j, c)
    __CPROVER_loop_invariant(j <= m && c <= i * 1000 + j)
    {
      c++;
    }
  }
  sassert(c <= n * 1000);
  sassert(i == n);
}
