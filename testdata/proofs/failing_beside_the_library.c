/*
 * verdict: failed
 *
 * A violation on a way on which the C library gave what nobody knows, and which does not need that.
 */
#include <math.h>
#include <unitproof.h>

int main(void) {
  int a[10] = {0}, i = nd_int();
  double y = pow(2, 3);
  assume(i >= 0 && i <= 10);
  a[i] = 1;  // want failed array-bounds
  sassert(y > 0);
}
