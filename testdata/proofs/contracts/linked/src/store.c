#include <stdlib.h>

int refill(int *level)
__CPROVER_requires(__CPROVER_is_fresh(level, sizeof *level))
__CPROVER_assigns(*level)
__CPROVER_ensures(*level == 7)
{
  free(malloc(4));
  return *level = 7;
}

void drain(unsigned n) {
  unsigned i = 0;
  while (i < n)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= n)
  {
    if (i > 2000) free(malloc(4));
    i++;
  }
}
