/*
 * verdict: failed
 *
 * Elements of vectors: an index that no element has gives nothing at all, and clang looks at it in front of a subscript that
 * is read or written, but allows for one too many where it is changed, or stands in parentheses.
 */
#include <unitproof.h>
typedef int v4 __attribute__((vector_size(16)));
static unsigned at_most(unsigned n) {
  unsigned i = nd_uint();
  assume(i <= n);
  return i;
}
int read_proof(v4 v) { return v[at_most(3)] ^ v[at_most(4)]; } // want failed array-bounds
int negative_proof(v4 v) {
  int i = nd_int();
  assume(i >= -1 && i < 4);
  return v[i]; // want failed array-bounds
}
v4 written_proof(v4 v) {
  v[at_most(3)] = 2;
  v[at_most(4)] = 1; // want failed array-bounds
  return v;
}
v4 changed_proof(v4 v) {
  v = (v4){1, 2, 3, 4};
  v[at_most(3)]++;
  v[at_most(4)]++; // want failed array-bounds
  return v;
}
v4 in_parentheses_proof(v4 v) {
  (v[at_most(3)]) = 1;
  (v[at_most(4)]) = 1; // want failed array-bounds
  return v;
}
__attribute__((no_sanitize("undefined"))) static int told_not_to(v4 v, unsigned i) { return v[i]; } // want failed array-bounds
int told_not_to_proof(v4 v) { return told_not_to(v, at_most(4)); }
__attribute__((no_sanitize("undefined"))) static int told_and_right(v4 v, unsigned i) { return v[i]; }
int told_and_right_proof(v4 v) { return told_and_right(v, at_most(3)); }
v4 shifted_proof(v4 x, v4 y) { return x << y; } // want failed invalid-shift
v4 divided_proof(v4 x) { return x % (v4){-1, 1, 1, 1}; } // want failed signed-overflow
v4 divided_by_proof(v4 x, v4 y) { return (x & 255) / y; } // want failed division-by-zero
