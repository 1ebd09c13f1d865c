/*
A proof that fails: a push into a full ring writes behind the slots. The valid states are those
that the comment at struct ring allows, a full one included.
verdict: failed
obligations: 3
*/
#include <unitproof.h>

#define SLOTS 4u

struct ring {
  unsigned char slots[SLOTS];
  unsigned len; /* slots[0] to slots[len - 1] are taken; len <= SLOTS */
};

static void ring_push(struct ring *r, unsigned char byte) {
  r->slots[r->len] = byte; // want failed array-bounds
  r->len++;
}

int main(void) {
  struct ring r;
  memhavoc(&r, sizeof r);
  assume(r.len <= SLOTS);
  unsigned before = r.len;

  ring_push(&r, 'x');

  sassert(r.len == before + 1);
  sassert(r.slots[before] == 'x');
  return 0;
}
