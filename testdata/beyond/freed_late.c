/*
An object is freed in a late iteration, and used behind the loop.
verdict: failed
obligations: 1
*/
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  int *p = malloc(sizeof *p);
  if (!p)
    return 0;
  *p = 3;
  for (unsigned i = 0; i < n; i++)
    if (i == 99)
      free(p);
  sassert(*p == 3); // want failed use-after-free
  return 0;
}
