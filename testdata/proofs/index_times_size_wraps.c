/*
An index whose product with the size of an element does not fit 64 bits leaves the object,
also where the product modulo 2^64 comes back into it, and whether it is a constant, a sum
or a sum with a constant.
verdict: failed
obligations: 4
*/
#include <stdlib.h>
#include <unitproof.h>

void constant_proof(void) {
  long *p = malloc(10 * sizeof *p);
  if (p)
    p[1ul << 61] = 1; // want failed out-of-bounds-write
}

void sum_with_constant_proof(void) {
  long *p = malloc(10 * sizeof *p);
  size_t i = nd_size_t();
  assume(i < 10);
  if (p)
    p[i + (1ul << 61)] = 1; // want failed out-of-bounds-write
}

void sum_proof(void) {
  long *p = malloc(10 * sizeof *p);
  size_t i = nd_size_t(), k = nd_size_t();
  assume(i < 1ul << 60 && i + k == 1ul << 61);
  if (p)
    p[i + k] = 1; // want failed out-of-bounds-write
}
