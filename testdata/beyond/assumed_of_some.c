/*
The first 100 elements are assumed to be sorted, and all are taken to be.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static int a[1000];
int main(void) {
  memhavoc(a, sizeof a);
  unsigned n = nd_uint32_t();
  assume(n < 1000);
  for (unsigned i = 0; i < n && i < 100; i++)
    assume(a[i] <= a[i + 1]);
  for (unsigned i = 0; i < n; i++)
    sassert(a[i] <= a[i + 1]); // want failed assertion
  return 0;
}
