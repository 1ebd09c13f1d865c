/*
 * Whether the loop writes only what its contract says depends on f. What follows rests on that.
 * verdict: unknown
 */
#include <unitproof.h>

void f(int *);

int main(void) {
  int y = 1, before = 2;
  sassert(before == 2); // want proved assertion
  for (unsigned i = 0; i < 100000; i++)
  __CPROVER_assigns(i) // want unknown out-of-bounds-write
  __CPROVER_loop_invariant(i >= 0) // want unknown loop-invariant
  {
    f(&y); // want unknown assigns
  }
  sassert(y == 1); // want unknown assertion
}
