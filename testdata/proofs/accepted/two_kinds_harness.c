/*
One check of clang's serves division by zero and INT_MIN / -1, another both kinds of bad
shifts. What is accepted goes on, with any value or the wrapped one; the other kind is
still reported.
verdict: failed
obligations: 8
*/
#include <limits.h>
#include <unitproof.h>

static int zero_is_fine(int x, int y) {
  if (nd_bool()) {
    assume(x > 0);
    return x / y; // want failed division-by-zero
  }
  assume(y != 0);
  return x / y; // want failed signed-overflow
}
static int wrap_is_fine(int x, int y) {
  if (nd_bool()) {
    assume(x > 0);
    return x / y; // want failed division-by-zero
  }
  assume(y != 0);
  return x / y; // want failed signed-overflow
}
static int shift_is_fine(int x, int y) {
  assume(y >= 32 || y < 31);
  return x << y; // want failed invalid-shift
}
static int cast_is_fine(float f) {
  return (int)f; // want failed float-to-int-overflow
}

void zero_proof(void) {
  int x = nd_int(), y = nd_int();
  int z = zero_is_fine(x, y);
  sassert(y != 1 || z == x);
  sassert(y != 0); // want failed assertion
}

void wrap_proof(void) {
  int x = nd_int(), y = nd_int();
  int z = wrap_is_fine(x, y);
  sassert(y != -1 || x != INT_MIN || z == INT_MIN);
  sassert(!(x == INT_MIN && y == -1)); // want failed assertion
}

void shift_proof(void) {
  int y = nd_int();
  int z = shift_is_fine(1, y);
  sassert(y != 1 || z == 2);
  sassert(y >= 0 && y < 32); // want failed assertion
}

void cast_proof(void) {
  float f = nd_float();
  int z = cast_is_fine(f);
  sassert(f != 2.5f || z == 2);
  sassert(f < 1e10f || z == 0); // want failed assertion
}
