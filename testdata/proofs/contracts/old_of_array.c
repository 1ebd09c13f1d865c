/*
The old value of an array is a copy of it, not a pointer to what it became.
flags: --contract touch
verdict: failed
*/
#include <stdint.h>

struct s { int16_t c[256]; unsigned bits : 3; };

void touch(struct s *p, unsigned i)
__CPROVER_requires(__CPROVER_is_fresh(p, sizeof *p) && i < 256)
__CPROVER_assigns(*p)
__CPROVER_ensures(__CPROVER_forall { unsigned k; k < 256 ==> (k == i || p->c[k] == __CPROVER_old(p->c)[k]) })
__CPROVER_ensures(__CPROVER_forall { unsigned k; k < 256 ==> (k == i || p->c[k] == (__CPROVER_old(*(int16_t (*)[256])(p->c)))[k]) })
__CPROVER_ensures(p->bits == __CPROVER_old(p->bits))
__CPROVER_ensures(__CPROVER_forall { unsigned k; k < 256 ==> p->c[k] == __CPROVER_old(p->c)[k] }) // want failed postcondition
{
  p->c[i]++;
}
