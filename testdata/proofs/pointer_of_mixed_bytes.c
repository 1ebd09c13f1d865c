/*
 * verdict: failed
 * obligations: 20
 *
 * A pointer of which one byte was overwritten, or that has bytes of two, points where its address says: into the object
 * as before, elsewhere into it, before it, or into none. What is added to it later counts, too.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

struct pair {
  int a, b;
};

static void changed(void) {
  struct pair *p = malloc(sizeof *p);
  assume(p);
  p->a = 1;
  p->b = 2;
  struct pair *q = p;
  ((unsigned char *)&q)[0] = nd_uchar();
  if (q == p)
    sassert(q->b == 2); // want proved assertion
  if (q + 1 == p) {
    sassert((q + 1)->a == 1); // want proved assertion
    sassert(q[1].b == 1);     // want failed assertion
  }
  if (nd_bool())
    sassert(q->b > 0); // want failed invalid-pointer // want failed out-of-bounds-read
  free(p);
}

static void mixed(void) {
  int *p = malloc(4), *r = malloc(4);
  assume(p && r);
  *p = 1;
  *r = 2;
  int *q = p;
  memcpy(&q, &r, 2); // the low bytes of another pointer
  uint64_t n;
  memcpy(&n, &q, 8);
  if (n == (uint64_t)p) {
    sassert(*q == 1);        // want proved assertion
    sassert(*(int *)n == 1); // want proved assertion
    free(p);
    sassert(*(int *)n == 1); // want failed use-after-free
  }
}

static void unwritten(void) {
  int x = 7, *p = &x, *q; // the first byte of q is arbitrary
  memcpy((char *)&q + 1, (char *)&p + 1, 7);
  sassert(*q == 7); // want failed invalid-pointer // want failed out-of-bounds-read
}

int main(void) {
  if (nd_bool())
    changed();
  else if (nd_bool())
    mixed();
  else
    unwritten();
  return 0;
}
