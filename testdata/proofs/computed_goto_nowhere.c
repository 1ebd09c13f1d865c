/*
 * verdict: failed
 *
 * A computed goto to an address that is no label of the function: NULL here. Distances of labels as pointers are exact.
 */
#include <stddef.h>
#include <unitproof.h>

int main(void) { // want failed unreachable
  static const ptrdiff_t far[] = {&&a - &&a, &&b - &&a};
  int i = nd_int();
  assume(i >= 0 && i <= 2);
  void *to = i == 2 ? NULL : &&a + far[i];
  goto *to;
a:
  sassert(i == 0); // want proved assertion
  return 0;
b:
  sassert(i == 1); // want proved assertion
  sassert(i == 0); // want failed assertion
  return 1;
}
