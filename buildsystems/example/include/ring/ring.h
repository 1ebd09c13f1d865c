#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stddef.h>

/* A queue of bytes in a buffer of its own. */
struct ring {
  unsigned char bytes[RING_CAPACITY];
  size_t first, length;
};

bool ring_push(struct ring *r, unsigned char byte); /* false: it is full */
bool ring_pop(struct ring *r, unsigned char *byte); /* false: it is empty */

#endif
