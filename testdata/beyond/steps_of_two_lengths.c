/*
A loop by twos or fours, which of them is not known, fills the even elements only. An assertion asks for an odd one, for
an input that random ones do not have.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static unsigned char a[2008];
int main(void) {
  unsigned n = nd_uint32_t(), key = nd_uint32_t();
  assume(n <= 2000);
  memhavoc(a, sizeof a);
  for (unsigned i = 0; i < n; i += nd_bool() ? 4 : 2) {
    a[i] = 7;
    a[i + 2] = 7;
  }
  if (n > 1500 && key * 2654435761u == 0x12345678u)
    sassert(a[1501] == 7); // want failed assertion
  return 0;
}
