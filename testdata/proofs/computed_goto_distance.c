/*
 * verdict: proved
 *
 * Distances of labels as int: they are whole, since the code of a function is not that large.
 */
#include <unitproof.h>

int main(void) {
  static const int far[] = {&&a - &&a, &&b - &&a};
  int i = nd_int();
  assume(i == 0 || i == 1);
  goto *(&&a + far[i]);
a:
  sassert(i == 0); // want proved assertion
  return 0;
b:
  sassert(i == 1); // want proved assertion
  return 1;
}
