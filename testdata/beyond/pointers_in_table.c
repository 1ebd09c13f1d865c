/*
A table of pointers is filled in a loop, and one of them written through.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

int main(void) {
  static int *at[200];
  static int a[200];
  for (unsigned i = 0; i < 200; i++)
    at[i] = &a[i];
  unsigned k = nd_uint32_t();
  assume(k < 200);
  *at[k] = 1;
  sassert(a[130] == 0); // want failed assertion
  return 0;
}
