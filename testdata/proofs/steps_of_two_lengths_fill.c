/*
A loop by twos or fours, which of them is not known, fills the even elements.
verdict: proved
*/
#include <unitproof.h>

static unsigned char a[2008];
int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 2000);
  memhavoc(a, sizeof a);
  for (unsigned i = 0; i < n; i += nd_bool() ? 4 : 2) {
    a[i] = 7;
    a[i + 2] = 7;
  }
  if (n > 30)
    sassert(a[30] == 7); // want proved assertion
  return 0;
}
