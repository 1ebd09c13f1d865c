/*
Removed bodies: one function is left without (it would divide by zero), a static one is stood in for.
verdict: failed
obligations: 3
*/
#include <assert.h>
#include "src/ring.h"

extern unsigned audits;

void removed_harness(void) {
  struct ring r;
  __CPROVER_assume(r.head < RING_SIZE);
  int put = ring_put(&r, 7);
  assert(audits == 1);
  assert(!put || !ring_empty(&r));
  assert(put); // want failed assertion
}
