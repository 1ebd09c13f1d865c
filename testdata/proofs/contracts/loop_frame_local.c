/*
A local variable that the frame does not name is written.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
int main(void) {
  unsigned n = nd_uint(), i = 0, last = 9;
  while (i < n)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= n)
  {
    last = i; // want failed assigns
    i++;
  }
  sassert(last == 9);
}
