#include "../src/ring.h"
#include <unitproof.h>

/* What was pushed into an empty ring comes out again, and leaves it empty. */
void ring_pop_harness(void) {
  struct ring r;
  memhavoc(&r, sizeof r);
  assume(ring_is_valid(&r));
  assume(r.len == 0);
  uint8_t in = nd_uint8_t(), out;

  sassert(ring_push(&r, in));
  sassert(ring_pop(&r, &out));

  sassert(out == in);
  sassert(r.len == 0);
}
