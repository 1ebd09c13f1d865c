/*
Two pointers are swapped in each iteration.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint32_t();
  int x = 0, y = 0, *p = &x, *q = &y;
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++) {
    int *t = p;
    p = q;
    q = t;
    if (i > 90)
      *p = 1;
  }
  sassert(x == 0 || y == 0); // want failed assertion
  return 0;
}
