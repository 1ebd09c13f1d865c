/*
Two parts of no byte may be at one address; those with bytes are not, but one may begin where the other ends.
flags: --contract apart
verdict: failed
*/
#include <unitproof.h>

int apart(char *p, char *q, unsigned n)
__CPROVER_requires(__CPROVER_is_fresh(p, n) && __CPROVER_is_fresh(q, n))
__CPROVER_assigns()
__CPROVER_ensures(n == 0 || p != q)
__CPROVER_ensures(p != q)                // want failed postcondition
__CPROVER_ensures(n == 0 || p + n != q)  // want failed postcondition
{
  return 0;
}
