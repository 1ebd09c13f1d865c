/*
An assertion is reached where its condition begins to be evaluated: operands of || and && that are never looked at
make it neither vacuous nor unreached.
verdict: vacuous
*/
#include <assert.h>
#include <unitproof.h>

int main(void) {
  unsigned x = nd_uint(), y = nd_uint();
  assume(x < 10 && y < 10);
  assert(x < 10 || y == 3); // want proved assertion
  assert(x + y != 0 || (x == 0 && y == 0)); // want proved assertion
  assert((x < 20 && y < 20) || (x > 30 && y > 30)); // want proved assertion
  if (x > 20)
    assert(y < 5 || y >= 5); // want vacuous assertion
  if (x > 5 || (assert(x <= 5 || y == 77), y == 3)) // want proved assertion
    assert(x > 5 || y == 3); // want proved assertion
  while (x > 100)
    assert(x > 200 || x < 300); // want vacuous assertion
  return 0;
}
