/*
A volatile variable changes late.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static volatile int state;
int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++)
    if (i == 123)
      state = 5;
  sassert(state == 0); // want failed assertion
  return 0;
}
