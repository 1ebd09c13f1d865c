#include "ring.h"

bool ring_push(struct ring *r, uint8_t byte) {
  if (r->len > RING_SLOTS)
    return false;
  r->slots[ring_slot(r, r->len)] = byte;
  r->len++;
  return true;
}

bool ring_pop(struct ring *r, uint8_t *byte) {
  if (r->len == 0)
    return false;
  *byte = r->slots[r->head];
  r->head = ring_slot(r, 1);
  r->len--;
  return true;
}
