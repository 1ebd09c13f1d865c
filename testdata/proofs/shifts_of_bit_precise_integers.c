/*
 * verdict: failed
 * obligations: 6
 *
 * _BitInt(N) may be shifted by less than N bits, however many its storage has.
 */
#include <unitproof.h>

typedef unsigned _BitInt(17) word;
typedef _BitInt(100) wide;

int proof_left(void) {
  unsigned n = nd_uint();
  assume(n < 32);
  word x = (word)1 << n; // want failed invalid-shift
  sassert(x != 0);
  return 0;
}

int proof_right(void) {
  word x = (word)nd_uint();
  sassert(x >> 16 <= 1);
  x >>= 17; // want failed invalid-shift
  return 0;
}

int proof_wide(void) {
  unsigned n = nd_uint();
  assume(n <= 100);
  wide x = ((wide)1 << 60) >> n; // want failed invalid-shift
  sassert(n < 61 || x == 0);
  return 0;
}

/* The exponent may be bit-precise as well, and wider than a word. */
int proof_exponent(void) {
  wide n = (wide)nd_long();
  assume(n >= 0 && n < 128);
  wide x = (wide)1 >> n; // want failed invalid-shift
  sassert(x >= 0);
  return 0;
}

int proof_small_exponent(void) {
  unsigned _BitInt(3) n = (unsigned _BitInt(3))nd_uint();
  word x = (word)1 << n;
  sassert(x <= 128 && x != 0);
  return 0;
}

/* A bit shifted out is no exponent that is too large. */
int proof_lost_bits(void) {
  wide x = (wide)nd_long() << 99;
  sassert(x == 0 || x == (wide)1 << 99);
  return 0;
}
