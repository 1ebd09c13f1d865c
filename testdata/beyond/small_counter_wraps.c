/*
An index of eight bits wraps, and begins to write anew.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static unsigned char a[256];
int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  unsigned char k = 0;
  for (unsigned i = 0; i < n; i++)
    a[k++] = i < 256 ? 1 : 2;
  for (unsigned i = 0; i < 256 && i < n; i++)
    sassert(a[i] == 1); // want failed assertion
  return 0;
}
