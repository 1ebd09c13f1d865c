/*
memset of a growing part.
verdict: failed
obligations: 1
*/
#include <string.h>
#include <unitproof.h>

static unsigned char a[300];
int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 300);
  for (unsigned i = 0; i < n; i++)
    memset(a, 1, i);
  sassert(a[100] == 0); // want failed assertion
  return 0;
}
