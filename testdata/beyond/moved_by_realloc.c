/*
A buffer moves in a late iteration; an old pointer into it is kept.
verdict: failed
obligations: 1
*/
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  int *p = malloc(4), *old = p;
  if (!p)
    return 0;
  *p = 0;
  for (unsigned i = 0; i < n; i++)
    if (i == 70) {
      int *q = realloc(p, 8);
      if (!q)
        return 0;
      p = q;
    }
  sassert(*old == 0); // want failed use-after-free
  return 0;
}
