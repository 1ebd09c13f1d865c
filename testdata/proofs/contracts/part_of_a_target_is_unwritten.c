/*
 * verdict: unknown
 * flags: --check uninitialized-read
 *
 * That a contract says something of a member does not say that the call writes the others.
 */
#include <unitproof.h>

struct pair {
  int a, b;
};

void fill(struct pair *p)
__CPROVER_requires(__CPROVER_is_fresh(p, sizeof *p))
__CPROVER_assigns(*p)
__CPROVER_ensures(p->a == 1);

int main(void) {
  struct pair x;
  fill(&x); // want unknown out-of-bounds-write // want unknown precondition // want unknown uninitialized-read
  if (x.b) // want unknown uninitialized-read // want unknown out-of-bounds-read
    return 1;
  return 0;
} // want unknown uninitialized-read
