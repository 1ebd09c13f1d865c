/*
A copy to the right in one array reads what it wrote.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static unsigned char a[1000];
int main(void) {
  memhavoc(a, sizeof a);
  unsigned n = nd_uint32_t();
  assume(100 < n && n <= 900);
  unsigned char was = a[99];
  for (unsigned i = 0; i < n; i++)
    a[i + 1] = a[i];
  sassert(a[100] == was); // want failed assertion
  return 0;
}
