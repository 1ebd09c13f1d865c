/*
A loop that tests behind its body runs once for n = 0.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint32_t(), i = 0;
  assume(n <= 1000);
  do {
    i++;
  } while (i < n);
  sassert(i <= n); // want failed assertion
  return 0;
}
