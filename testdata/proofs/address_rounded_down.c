/*
 * verdict: failed
 * obligations: 8
 *
 * An address rounded down finds the head of an aligned block from anywhere inside, and leads out of a block that is not aligned so.
 */
#include <stdlib.h>
#include <unitproof.h>

struct head {
  int tag;
  char body[60];
};

int main(void) {
  struct head *h = aligned_alloc(64, sizeof *h);
  char *p = malloc(4);
  if (!h || !p) return 0;
  h->tag = 7;
  unsigned i = nd_uint();
  assume(i < 60);
  struct head *found = (struct head *)((uintptr_t)&h->body[i] & ~(uintptr_t)63);
  sassert(found == h);
  sassert(found->tag == 7);
  char *q = (char *)((uintptr_t)p & ~(uintptr_t)15);
  *q = 1;
  sassert(p[0] == 1);
  q = (char *)((uintptr_t)p & ~(uintptr_t)31);
  *q = 1; // want failed invalid-pointer
  return 0;
}
