/*
One element is not copied.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static unsigned short a[1000], b[1000];
int main(void) {
  memhavoc(a, sizeof a);
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++)
    if (i != 77)
      b[i] = a[i];
  unsigned k = nd_uint32_t();
  if (k < n)
    sassert(a[k] == b[k]); // want failed assertion
  return 0;
}
