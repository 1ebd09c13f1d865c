/*
An allocation that is too large sets errno, late.
verdict: failed
obligations: 1
*/
#include <errno.h>
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  errno = 0;
  for (unsigned i = 0; i < n; i++)
    if (i == 75 && !malloc((size_t)-1))
      continue;
  sassert(errno == 0); // want failed assertion
  return 0;
}
