/*
Stand-ins whose types differ from what they stand for, and two definitions of one name: goto-cc takes both.
What is called is the definition; a call with another number of arguments is a violation.
verdict: failed
obligations: 4
*/
#include <assert.h>
#include "src/clock.h"
#include "src/ring.h"

void stale_stub_harness(void) {
  struct ring r;
  __CPROVER_assume(r.head < RING_SIZE && r.count < RING_SIZE);
  assert(ring_put(&r, 1));
  assert(clock_wait(clock_ticks(), "x") == 'x');
  clock_set(1, 2); // want failed invalid-call
}
