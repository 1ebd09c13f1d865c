/*
Two labels jump to each other: no head dominates.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint32_t(), i = 0, x = 0;
  assume(n <= 1000);
  if (n & 1)
    goto two;
one:
  if (++i > n)
    goto end;
two:
  if (i == 91)
    x = 1;
  if (++i <= n)
    goto one;
end:
  sassert(x == 0); // want failed assertion
  return 0;
}
