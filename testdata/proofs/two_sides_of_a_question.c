/*
One of two opposite assertions fails in every execution, so together they say nothing of the
addresses; which of them fails in a model is asked under the rules of addresses all the same.
verdict: failed
obligations: 2
*/
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  char *p = malloc(4);
  if (!p)
    return 0;
  char *q = realloc(p, 8);
  if (!q)
    return 0;
  sassert((uintptr_t)p == (uintptr_t)q); // want failed assertion
  sassert((uintptr_t)p != (uintptr_t)q); // want failed assertion
  return 0;
}
