/*
 * verdict: failed
 *
 * As sort_of_any_length, but that the array is a byte short where it has five elements.
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
  char *p = malloc(n * size - (n == 5));
  if (!p) return 0;
  qsort(p, n, size, any_order); // want failed out-of-bounds-read
  free(p);
  return 0;
}
