/*
 * verdict: failed
 * obligations: 10
 *
 * Operations without a result that clang puts no check before: of vectors, and where it is told not to. INT_MIN / -1 traps as a
 * division by zero does, and so does its remainder.
 */
#include <limits.h>
#include <unitproof.h>

typedef int four __attribute__((vector_size(16)));
typedef float four_floats __attribute__((vector_size(16)));
typedef long two __attribute__((vector_size(16)));

#define UNCHECKED __attribute__((no_sanitize("undefined"))) static

UNCHECKED int quotient(int x, int y) { return x / y; }         // want failed signed-overflow
UNCHECKED long remainder(long x, long y) { return x % y; }     // want failed signed-overflow
UNCHECKED int left(int x, int by) { return x << by; }          // want failed invalid-shift
UNCHECKED unsigned right(unsigned x, long by) { return x >> by; } // want failed invalid-shift
UNCHECKED int truncated(double x) { return (int)x; }           // want failed float-to-int-overflow
UNCHECKED int zeros(unsigned x) { return __builtin_ctz(x); }   // want failed invalid-builtin
UNCHECKED __int128 wide(__int128 x, __int128 y) { return x / y; } // want failed signed-overflow
UNCHECKED int first(int x) { return __builtin_ffs(x); }

int proof_quotient(void) {
  int y = nd_int();
  assume(y != 0);
  return quotient(INT_MIN, y) & 0;
}

int proof_remainder(void) { return remainder(LONG_MIN, nd_long() | 1) != 0; }

int proof_left(void) {
  int by = nd_int();
  assume(by > 0);
  return left(1, by) & 0;
}

/* The low 32 bits of the exponent are no large number. */
int proof_right(void) {
  long by = nd_bool() ? 1L << 32 : 3;
  sassert(right(8, by) == 1);
  return 0;
}

int proof_truncated(void) {
  double x = nd_double();
  assume(x >= 0);
  sassert(truncated(x) >= 0);
  return 0;
}

int proof_zeros(void) { return zeros(nd_uint()) < 0; }

int proof_wide(void) {
  __int128 y = nd_int();
  assume(y != 0);
  return (int)wide((__int128)1 << 127, y) & 0;
}

int proof_first(void) {
  sassert(first(0) == 0 && first(nd_int()) >= 0);
  return 0;
}

int proof_vectors(void) {
  four x = {1, INT_MIN, 3, 4}, y = {1, 1, nd_int(), nd_int()};
  assume(y[2] > 0 && y[3] != 0);
  x /= y;
  sassert(x[1] == INT_MIN);
  y[1] = nd_bool() ? -1 : 2;
  x /= y; // want failed signed-overflow
  return 0;
}

int proof_vector_shifts(void) {
  two x = {1, 2}, by = {nd_long(), 63};
  assume(by[0] >= 0);
  x <<= by; // want failed invalid-shift
  by += 1;
  x >>= by & 63;
  return 0;
}

int proof_vector_conversions(void) {
  float f = nd_float();
  four_floats x = {1, 2, 3, f};
  assume(f > 0);
  four n = __builtin_convertvector(x, four); // want failed float-to-int-overflow
  sassert(n[0] == 1);
  return 0;
}
