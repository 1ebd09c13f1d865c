/*
 * verdict: proved
 *
 * An array of any length is sorted, of bytes or of pairs of them: that all comparisons and exchanges are within it is
 * an invariant of loops of the library. A size of elements that is not constant is told apart there; copies of so many
 * bytes, of which each may be read behind each, had taken all of the time after three elements.
 */
#include <stdlib.h>
#include <unitproof.h>

static int any_order(const void *a, const void *b) {
  sassert(a != b);
  return nd_int();
}

int main(void) {
  size_t n = nd_size_t(), size = nd_size_t();
  assume(n <= 1000000 && size <= 2);
  char *p = malloc(n * size);
  if (!p) return 0;
  qsort(p, n, size, any_order);
  free(p);
  return 0;
}
