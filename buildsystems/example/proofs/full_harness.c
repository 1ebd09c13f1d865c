#include <ring/ring.h>
#include <unitproof.h>

/* A push fails exactly when the ring is full. */
int main(void) {
  struct ring r;
  memhavoc(&r, sizeof r);
  assume(r.first < RING_CAPACITY && r.length <= RING_CAPACITY);

  size_t before = r.length;
  bool pushed = ring_push(&r, nd_uchar());
  sassert(pushed == (before < RING_CAPACITY));
  sassert(r.length == before + pushed);
}
