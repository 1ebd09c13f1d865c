/*
realloc gives a block with the old content or leaves the old block alone; the old pointer is
dead once it succeeded, even where the new one equals it.
verdict: failed
obligations: 4
*/
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  unsigned char *p = malloc(4);
  if (!p)
    return 0;
  unsigned at = nd_uint();
  assume(at < 4);
  p[0] = p[1] = p[2] = p[3] = 9;
  p[at] = 7;

  unsigned char *q = realloc(p, 16);
  if (!q) {
    sassert(p[at] == 7);
    free(p);
    return 0;
  }
  sassert(q[at] == 7);
  q[15] = 1;
  unsigned char *r = realloc(q, 2);
  if (!r) {
    sassert(q[15] == 1);
    free(q);
    return 0;
  }
  sassert(at >= 2 || r[at] == 7);
  if (at == 1)
    r[0] = q[0]; // want failed use-after-free
  free(r);
  return 0;
}
