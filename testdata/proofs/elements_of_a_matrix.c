/* verdict: proved
   Elements of a matrix whose rows and columns are inputs: i * c + j is within r * c. */
#include <stdlib.h>

#include <unitproof.h>

void identity_proof(void) {
  unsigned r = nd_uint(), c = nd_uint();
  assume(r <= 300 && c <= 300);
  int *m = malloc(r * c * sizeof *m);
  assume(m || r * c == 0);
  for (unsigned i = 0; i < r; i++)
    for (unsigned j = 0; j < c; j++)
      m[i * c + j] = i == j;
}
