/*
What a function without a body gives is another value in each iteration.
verdict: failed
obligations: 2
*/
#include <stdlib.h>
#include <unitproof.h>

unsigned answer(void);

int main(void) {
  unsigned n = nd_uint();
  assume(n < 100000);
  unsigned *a = malloc(n * sizeof *a);
  if (!a)
    return 0;
  for (unsigned i = 0; i < n; i++) {
    unsigned x = answer();
    if (i > 100)
      sassert(a[0] >= x); // want failed assertion
    if (a[i] < x)
      break;
  }
  return 0;
}
