/*
 * verdict: failed
 * obligations: 8
 *
 * A pointer of which one byte was overwritten may still point into the object that it pointed to. In a run it is a
 * number then: where the object is gone, both are one mistake.
 */
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  char *p = malloc(16);
  assume(p);
  char *copy = p;
  ((unsigned char *)&p)[0] = nondet_uchar();
  free(copy);
  *p = 1; // want failed invalid-pointer // want failed use-after-free
  return 0;
}
