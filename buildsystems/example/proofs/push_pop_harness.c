#include <ring/ring.h>
#include <unitproof.h>

/* What is pushed to an empty ring is popped from it, wherever the ring begins, and nothing else. */
int main(void) {
  struct ring r;
  memhavoc(&r, sizeof r);
  assume(r.first < RING_CAPACITY && r.length == 0);

  unsigned char in = nd_uchar(), out;
  sassert(ring_push(&r, in));
  sassert(ring_pop(&r, &out) && out == in);
  sassert(r.length == 0);
  sassert(!ring_pop(&r, &out) && out == in);
}
