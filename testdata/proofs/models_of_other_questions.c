/*
A model that was found for another question knows nothing of the addresses that this one is about:
it may not tell that something is reached.
verdict: vacuous
obligations: 1
*/
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  unsigned x = nd_uint(), s = 0;
  assume(x <= 5);
  for (unsigned i = 0; i < x; i++)
    s += i;
  char *p = malloc(4);
  if (p && (uintptr_t)p < 4096) {
    sassert(x <= 6); // want vacuous assertion
  }
  return (int)s;
}
