#include "../src/ring.h"
#include <unitproof.h>

/* After a push, the ring is valid, has one byte more, and the byte is the last one. */
void ring_push_harness(void) {
  struct ring r;
  memhavoc(&r, sizeof r);
  assume(ring_is_valid(&r));
  uint32_t len = r.len;
  uint8_t byte = nd_uint8_t();

  if (ring_push(&r, byte)) {
    sassert(r.len == len + 1);
    sassert(r.slots[ring_slot(&r, len)] == byte);
  }
  sassert(ring_is_valid(&r));
}
