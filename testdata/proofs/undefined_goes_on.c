/*
Behind operations whose checks are off, any value comes out where there is no result, and the wrapped one of
INT_MIN / -1. A native run is given the values of the counterexample.
verdict: failed
flags: --no-check division-by-zero --no-check invalid-shift --no-check signed-overflow --no-check float-to-int-overflow
obligations: 6
*/
#include <limits.h>
#include <stdint.h>
#include <unitproof.h>

void divided_proof(void) {
  int x = nd_int(), y = nd_int();
  int q = x / y;
  sassert(y == 0 || y == -1 || q == x / y);
  if (y == 0)
    sassert(q != 77); // want failed assertion
  if (x == INT_MIN && y == -1) {
    sassert(q == INT_MIN);
    sassert(x % y == 0);
    sassert(x > 0); // want failed assertion
  }
}

void rest_proof(void) {
  uint64_t x = nd_uint64_t(), y = nd_uint64_t();
  uint64_t r = x % y;
  sassert(r < y || r != 5); // want failed assertion
}

void shifted_proof(void) {
  unsigned char by = nd_uint8_t();
  int64_t wide = nd_int64_t() << by;
  short narrow = (short)(nd_short() >> by);
  if (by == 64)
    sassert(wide != 9); // want failed assertion
  if (by == 40)
    sassert(narrow != 3); // want failed assertion
}

void converted_proof(void) {
  float f = nd_float();
  assume(f > 1e20f);
  sassert((uint8_t)(int64_t)f != 200); // want failed assertion
}
