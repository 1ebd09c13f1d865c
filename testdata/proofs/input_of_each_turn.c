/*
Elements are inputs, each of its own iteration: neither the first one nor an arbitrary one is the last one.
verdict: failed
obligations: 2
*/
#include <stdlib.h>
#include <unitproof.h>

void first_proof(void) {
  unsigned n = nd_uint();
  assume(n < 100000);
  int *a = malloc(n * sizeof *a);
  if (!a)
    return;
  for (unsigned i = 0; i < n; i++) {
    int x = nd_int();
    if (i > 100)
      sassert(a[0] == x); // want failed assertion
    a[i] = x;
  }
  free(a);
}

void any_proof(void) {
  unsigned n = nd_uint();
  assume(n < 100000);
  int *a = malloc(n * sizeof *a);
  if (!a)
    return;
  for (unsigned i = 0; i < n; i++) {
    int x = nd_int();
    a[i] = x;
    unsigned k = nd_uint();
    if (k < i && i > 100)
      sassert(a[k] == x); // want failed assertion
  }
  free(a);
}
