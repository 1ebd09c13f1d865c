/*
What memory held before the call counts, not what it holds behind it.
verdict: failed
flags: --contract inc
obligations: 1
*/
#include <unitproof.h>
struct c {
  int n;
};
void inc(struct c *p)
__CPROVER_requires(__CPROVER_is_fresh(p, sizeof *p) && p->n < 100)
__CPROVER_assigns(p->n)
__CPROVER_ensures(p->n == __CPROVER_old(p->n) + 1) // want failed postcondition
{
  p->n += 2;
}
