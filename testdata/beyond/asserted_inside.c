/*
A condition in the loop is false in iteration 65.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++)
    sassert(i != 65); // want failed assertion
  return 0;
}
