/*
Each iteration makes an object; the address of an early one is kept.
verdict: failed
obligations: 1
*/
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 200);
  int *kept = 0;
  for (unsigned i = 0; i < n; i++) {
    int *p = malloc(sizeof *p);
    if (!p)
      return 0;
    *p = (int)i;
    if (i == 90)
      kept = p;
  }
  if (kept)
    sassert(*kept == 0); // want failed assertion
  return 0;
}
