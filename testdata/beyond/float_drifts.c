/*
A sum of floats passes a bound late.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  float x = 0;
  for (unsigned i = 0; i < n; i++)
    x += 0.5f;
  sassert(x < 60); // want failed assertion
  return 0;
}
