/*
An assertion that is not checked is not missing either.
verdict: proved
flags: --no-check assertion
obligations: 1
*/
#include <assert.h>
#include <unitproof.h>

static int a[4];

int main(void) {
  unsigned i = nd_uint();
  assert(i < 10);
  int *p = a;
  if (i < 4)
    p[i] = 1;
  return 0;
}
