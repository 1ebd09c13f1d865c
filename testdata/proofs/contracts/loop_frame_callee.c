/*
A function that the loop calls writes a static variable, which the frame does not name.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
static int s;
static void bump(void) {
  s++; // want failed assigns
}
int main(void) {
  unsigned n = nd_uint(), i = 0;
  while (i < n)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= n)
  {
    bump();
    i++;
  }
  sassert(s == 0);
}
