/*
Content that is made anew in each iteration: by a loop inside, by malloc, by memhavoc.
verdict: failed
obligations: 2
*/
#include <stdlib.h>
#include <unitproof.h>

void inner_proof(void) {
  unsigned n = nd_uint(), m = nd_uint();
  assume(n < 100000 && m < 1000 && m > 0);
  unsigned *a = malloc(n * sizeof *a);
  unsigned *b = malloc(m * sizeof *b);
  if (!a || !b)
    return;
  for (unsigned i = 0; i < n; i++) {
    for (unsigned j = 0; j < m; j++)
      b[j] = i;
    if (i > 100)
      sassert(a[0] == b[0]); // want failed assertion
    a[i] = b[0];
  }
}

void made_proof(void) {
  unsigned n = nd_uint(), m = nd_uint();
  unsigned char k = nd_uchar();
  assume(n < 100000 && m < 1000 && m > 5);
  for (unsigned i = 0; i < n; i++) {
    unsigned char *b = malloc(m);
    if (!b)
      return;
    if (i > 100)
      sassert(b[5] <= k); // want failed assertion
    if (b[5] > k) {
      free(b);
      break;
    }
    free(b);
  }
}

void arbitrary_proof(void) {
  unsigned n = nd_uint(), m = nd_uint();
  assume(n < 100000 && m < 1000 && m > 5);
  unsigned char *a = malloc(n), *b = malloc(m);
  if (!b || !a)
    return;
  for (unsigned i = 0; i < n; i++) {
    memhavoc(b, m);
    if (i > 100)
      sassert(a[i / 2] == b[5]); // want failed assertion
    a[i] = b[5];
  }
}
