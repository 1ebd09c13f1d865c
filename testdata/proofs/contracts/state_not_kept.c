/*
An invariant that is true in each execution and that an iteration need not keep: it allows states which no execution has.
Nothing simple is true of the numbers that the loop goes through. What the loop writes is found out.
verdict: bounded
*/
#include <unitproof.h>

static unsigned mixed(unsigned n) {
  unsigned i = 0, h = 0;
  while (i < n)
  __CPROVER_loop_invariant(h != 1000 && i <= n) // want bounded loop-invariant // want bounded unwinding
  {
    h = h * 1664525 + 1013904223;
    i++;
  }
  return h;
}

int main(void) {
  unsigned n = nd_uint();
  assume(n < 100000);
  mixed(n);
  return 0;
}
