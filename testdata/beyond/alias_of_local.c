/*
A pointer to a variable is followed in one late iteration.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint32_t(), x = 0, *p = &x;
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++)
    if (i == 100)
      *p = 1;
  sassert(x == 0); // want failed assertion
  return 0;
}
