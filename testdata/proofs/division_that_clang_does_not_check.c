/*
 * verdict: failed
 * obligations: 4
 *
 * Clang puts no check before divisions of vectors, nor where it is told not to.
 */
#include <unitproof.h>

typedef int four __attribute__((vector_size(16)));

__attribute__((no_sanitize("undefined"))) static int quotient(int x, int y) {
  return x / y; // want failed division-by-zero
}

int proof_told_not_to(void) {
  int y = nd_int();
  assume(y > 0);
  sassert(quotient(0, y) == 0);
  quotient(1, nd_int());
  return 0;
}

/* What was checked on one way says nothing about the other. */
int proof_checked_elsewhere(void) {
  int y = nd_int(), q = 0;
  if (nd_bool()) q = 7 / y; // want failed division-by-zero
  four x = {4, 4, 4, 4}, z = {y, y, y, y};
  x /= z; // want failed division-by-zero
  return q + x[0] * 0;
}

int proof_vectors(void) {
  four x = {4, 4, 4, 4}, y = {1, 2, 4, nd_int()};
  x /= y; // want failed division-by-zero
  sassert(x[2] == 1);
  unsigned n = nd_uint();
  return n != 0 ? 7 % (int)(n & 3 | 1) : 0;
}
