/*
A function without a body gets the address of a variable, late.
verdict: unknown
obligations: 1
*/
#include <unitproof.h>

void other(int *p);
int main(void) {
  int x = 0, y = 0;
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++)
    other(i == 80 ? &x : &y);
  sassert(x == 0); // want unknown assertion
  return 0;
}
