/*
The invariant allows the index one past the end, which the loop never leaves behind.
verdict: bounded
*/
#include <unitproof.h>

struct ring {
  unsigned head, size;
  int cell[8];
};

static void turn(struct ring *r, unsigned n) {
  unsigned k = 0, h = 0;
  while (k < n)
  __CPROVER_assigns(k, h, r->head)
  __CPROVER_loop_invariant(r->head <= r->size)
  {
    r->head = (r->head + 1) % r->size;
    h = h * 1664525 + 1013904223;
    if (h == 1000) // not in 100000 iterations
      r->head = r->size;
    k++;
  }
  r->cell[r->head] = 1; // want bounded array-bounds // want bounded out-of-bounds-write
}

int main(void) {
  struct ring r = {.head = nd_uint(), .size = 8};
  assume(r.head < 8);
  unsigned n = nd_uint();
  assume(n < 100000);
  turn(&r, n);
  return 0;
}
