#include <ring/ring.h>

bool ring_push(struct ring *r, unsigned char byte) {
  if (r->length == RING_CAPACITY)
    return false;
  r->bytes[(r->first + r->length++) % RING_CAPACITY] = byte;
  return true;
}

bool ring_pop(struct ring *r, unsigned char *byte) {
  if (r->length == 0)
    return false;
  *byte = r->bytes[r->first];
  r->first = (r->first + 1) % RING_CAPACITY;
  r->length--;
  return true;
}
