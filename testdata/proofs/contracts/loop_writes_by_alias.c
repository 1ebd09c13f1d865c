/*
Without assigns, the frame of a loop is what it can write: here a variable of which a pointer has the address.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
int g;
int main(void) {
  unsigned n = nd_uint(), i = 0;
  int *p = &g;
  g = 1;
  while (i < n)
  __CPROVER_loop_invariant(i <= n)
  {
    *p = 2;
    i++;
  }
  sassert(g == 1); // want failed assertion
}
