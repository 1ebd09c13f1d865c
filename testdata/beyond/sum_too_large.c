/*
A sum of bytes passes its limit after 100 of them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static unsigned char a[1000];
int main(void) {
  memhavoc(a, sizeof a);
  unsigned n = nd_uint32_t(), sum = 0;
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++)
    sum += a[i];
  sassert(sum <= 25500); // want failed assertion
  return 0;
}
