#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stdint.h>

#define RING_SLOTS 8u

/* A queue of bytes. Those in it are at head, head + 1 ..., around the end of the slots. */
struct ring {
  uint8_t slots[RING_SLOTS];
  uint32_t head;
  uint32_t len;
};

static inline bool ring_is_valid(const struct ring *r) {
  return r->head < RING_SLOTS && r->len <= RING_SLOTS;
}

/* The slot of the i-th byte. */
static inline uint32_t ring_slot(const struct ring *r, uint32_t i) {
  return (r->head + i) % RING_SLOTS;
}

/* Each says whether it did anything: nothing goes into a full ring, nothing comes out of an empty one. */
bool ring_push(struct ring *r, uint8_t byte);
bool ring_pop(struct ring *r, uint8_t *byte);

#endif
