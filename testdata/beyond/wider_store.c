/*
A store of eight bytes covers the next element, too.
verdict: failed
obligations: 1
*/
#include <string.h>
#include <unitproof.h>

static unsigned a[1000];
int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 900);
  for (unsigned i = 0; i < n; i++)
    if (i < 100)
      a[i] = 1;
    else
      *(unsigned long long *)(void *)(a + (i & ~1u)) = 1;
  for (unsigned i = 0; i < n; i++)
    sassert(a[i] == 1); // want failed assertion
  return 0;
}
