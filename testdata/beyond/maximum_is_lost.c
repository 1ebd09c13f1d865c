/*
The maximum is forgotten late.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static int a[1000];
int main(void) {
  memhavoc(a, sizeof a);
  unsigned n = nd_uint32_t();
  assume(0 < n && n <= 1000);
  int hi = a[0];
  for (unsigned i = 1; i < n; i++) {
    if (a[i] > hi)
      hi = a[i];
    if (i == 300)
      hi = a[i];
  }
  unsigned k = nd_uint32_t();
  if (k < n)
    sassert(a[k] <= hi); // want failed assertion
  return 0;
}
