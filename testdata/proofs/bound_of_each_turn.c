/*
An element that let the loop go on was compared with an input of its own iteration: what it is to a later input, that
says nothing of.
verdict: failed
obligations: 2
*/
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint();
  int *a = malloc(n * sizeof *a);
  if (!a)
    return 0;
  for (unsigned i = 0; i < n; i++) {
    int x = nd_int();
    if (i > 100)
      sassert(a[0] <= x); // want failed assertion
    if (a[i] > x)
      break;
  }
  return 0;
}
