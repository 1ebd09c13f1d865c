/*
A loop that is entered in its middle.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint32_t(), i = 0, x = 0;
  assume(n <= 1000);
  if (n > 10)
    goto middle;
  while (i < n) {
    i++;
  middle:
    if (i == 95)
      x = 1;
  }
  sassert(x == 0); // want failed assertion
  return 0;
}
