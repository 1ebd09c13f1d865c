/*
 * verdict: failed
 * obligations: 5
 *
 * What a macro expands to has one place. A check of one operation in it says nothing about another.
 */
#include <unitproof.h>

typedef unsigned four __attribute__((vector_size(16)));

#define UNCHECKED __attribute__((no_sanitize("undefined"))) static
#define BOTH_SHIFTED(a, b, c) (((a) << (b)) + ((a) << (c)))
#define BOTH_COUNTED(a, b) (__builtin_ctz(a) + __builtin_ctz(b))
#define BOTH_REMAINDERS(a, b, c) ((a) % (b) + (a) % (c))
#define SCALAR_THEN_VECTOR(a, by, v, bys) ((a) << (by), (v) << (bys))
#define SHIFTED_THEN_DIVIDED(a, b, c) (((a) >> (b)) / (c))

static unsigned some[2];

UNCHECKED unsigned shifts(unsigned b, unsigned c) { return BOTH_SHIFTED(1u, b, c); } // want failed invalid-shift
UNCHECKED unsigned counts(unsigned a, unsigned b) { return BOTH_COUNTED(a, b); } // want failed invalid-builtin
UNCHECKED unsigned remainders(unsigned b, unsigned c) { return BOTH_REMAINDERS(9u, b, c); } // want failed division-by-zero
UNCHECKED unsigned divides(unsigned b, unsigned c) { return SHIFTED_THEN_DIVIDED(9u, b, c); } // want failed division-by-zero

/* One of two: no range says that it is small. */
static unsigned below(unsigned n) {
  memhavoc(some, sizeof some);
  unsigned i = nd_uint();
  assume(i < 2 && some[0] < n && some[1] < n && some[0] > 0 && some[1] > 0);
  return some[i];
}

int proof_shifts(void) { return shifts(below(32), nd_uint()) == 1; }
int proof_counts(void) { return counts(below(32), nd_uint()) == 40; }
int proof_remainders(void) { return remainders(below(32), nd_uint()) == 90; }
int proof_divides(void) { return divides(below(32), nd_uint()) == 90; }

int proof_scalar_then_vector(void) {
  four v = {1, 2, 3, 4};
  four by = {1, 2, nd_uint(), 3};
  v = SCALAR_THEN_VECTOR(1u, below(32), v, by); // want failed invalid-shift
  return v[0] == 3;
}
