/* verdict: failed
   The last row of a matrix is one too many, or the row's length is that of a column. */
#include <stdlib.h>

#include <unitproof.h>

void row_too_many_proof(void) {
  unsigned r = nd_uint(), c = nd_uint();
  assume(r <= 300 && c <= 300);
  int *m = malloc(r * c * sizeof *m);
  assume(m);
  for (unsigned i = 0; i <= r; i++)
    for (unsigned j = 0; j < c; j++)
      m[i * c + j] = i == j; // want failed out-of-bounds-write
}

void by_rows_proof(void) {
  unsigned r = nd_uint(), c = nd_uint();
  assume(r <= 300 && c <= 300);
  int *m = malloc(r * c * sizeof *m);
  assume(m);
  for (unsigned i = 0; i < r; i++)
    for (unsigned j = 0; j < c; j++)
      m[i * r + j] = i == j; // want failed out-of-bounds-write
}
