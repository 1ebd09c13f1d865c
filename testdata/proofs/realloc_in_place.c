/*
realloc may leave the block where it was: the addresses are equal then.
verdict: failed
obligations: 2
*/
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  char *p = malloc(4);
  if (!p)
    return 0;
  uintptr_t old = (uintptr_t)p;
  char *q = realloc(p, 8);
  if (!q)
    return 0;
  sassert((uintptr_t)q != old); // want failed assertion
  char *r = malloc(8);
  sassert(r != q);
  return 0;
}
