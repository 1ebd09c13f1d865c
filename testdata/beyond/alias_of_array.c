/*
A second pointer into the array that was filled changes an element late.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static unsigned char a[1000];
int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  unsigned char *q = a + 3;
  for (unsigned i = 0; i < n; i++) {
    a[i] = 7;
    if (i == 200)
      *q = 8;
  }
  for (unsigned i = 0; i < n; i++)
    sassert(a[i] == 7); // want failed assertion
  return 0;
}
