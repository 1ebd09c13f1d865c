/*
A loop by twos fills the even elements only, from 100 on.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static unsigned char a[1000];
int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i += i < 100 ? 1 : 2)
    a[i] = 1;
  for (unsigned i = 0; i < n; i++)
    sassert(a[i] == 1); // want failed assertion
  return 0;
}
