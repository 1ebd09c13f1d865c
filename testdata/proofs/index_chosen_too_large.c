/*
The product of an index and the size of an element wraps to 0 if one of two values is chosen: the element is not the
first one.
verdict: failed
*/
#include <unitproof.h>

#include <stdlib.h>
int main(void) {
  int *p = malloc(16);
  if (!p) return 0;
  *p = 5;
  size_t big = (size_t)1 << 62, i = nd_bool() ? big : 0;
  int v = p[i]; // want failed out-of-bounds-read
  size_t k = 0;
  if (nd_bool()) k = big;
  v += p[k]; // want failed out-of-bounds-read
  unsigned u = nd_uint();
  size_t shifted = (size_t)u << 62;
  v += p[shifted]; // want failed out-of-bounds-read
  int *q = nd_bool() ? p + big : p;
  v += *q; // want failed out-of-bounds-read
  size_t n = nd_bool() ? 1 : 0;
  sassert(&p[n] == p || &p[n] == p + 1);
  free(p);
  return v > 0;
}
