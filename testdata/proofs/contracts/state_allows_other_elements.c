/*
What the invariant says of a loop is too little for what follows it, though no execution violates that: an element that
the loop has been at may be anything, as far as is known.
verdict: bounded
*/
#include <unitproof.h>
#include <stdlib.h>

static void fill(unsigned char *a, unsigned n, unsigned char v) {
  unsigned i, h = 0;
  for (i = 0; i < n; i++)
  __CPROVER_assigns(i, h, __CPROVER_object_whole(a))
  __CPROVER_loop_invariant(i <= n)
  {
    a[i] = v;
    h = h * 1664525 + 1013904223;
    if (h == 1000) // not in 100000 iterations
      a[0] = v + 1;
  }
  sassert(a[0] == v); // want bounded assertion
}

int main(void) {
  unsigned n = nd_uint();
  assume(n > 0 && n < 100000);
  unsigned char *a = malloc(n);
  if (a) fill(a, n, nd_uchar());
  return 0;
}
