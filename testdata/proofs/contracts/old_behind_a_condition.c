/*
An old value that stands behind a condition is one only where there is memory to read.
flags: --contract bump
verdict: failed
*/
#include <stddef.h>
#include <unitproof.h>

struct cell { int n; unsigned low : 3; struct cell *next; int tail[2]; };

void bump(int *p, struct cell *c, size_t n)
__CPROVER_requires(n <= 1)
__CPROVER_requires(n == 0 || (__CPROVER_is_fresh(p, sizeof *p) && __CPROVER_is_fresh(c, sizeof *c)))
__CPROVER_requires(n == 0 || __CPROVER_is_fresh(c->next, sizeof *c))
__CPROVER_requires(n == 0 || (*p < 100 && c->next->n < 100))
__CPROVER_assigns(n != 0: *p, c->next->n)
__CPROVER_ensures(n == 0 || *p == __CPROVER_old(*p) + 1)
__CPROVER_ensures(n == 0 || p[0] == __CPROVER_old(p[0]) + 1)
__CPROVER_ensures(n == 0 || c->next->n == __CPROVER_old(c->next->n) + 1)
__CPROVER_ensures(n == 0 || c->next->tail[1] == __CPROVER_old(c->next->tail[1]))
__CPROVER_ensures(n == 0 || c->next->tail[0] == __CPROVER_old(c->next->tail)[0])
__CPROVER_ensures(n == 0 || (*c).low == __CPROVER_old((*c).low))
__CPROVER_ensures(n == 0 || c->next->low == __CPROVER_old(c->next->low))
__CPROVER_ensures(n == 0 || *p == __CPROVER_old(*p)) // want failed postcondition
{
  if (n != 0) {
    ++*p;
    c->next->n++;
  }
}
