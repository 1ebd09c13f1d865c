/*
A loop that is not entered is asked nothing, and what was known stays known: as with CBMC 6, an invariant need not hold
before a condition that is false at first.
verdict: proved
obligations: 12
*/
#include <unitproof.h>
static unsigned calls;
static int below(unsigned a, unsigned b) {
  calls++;
  return a < b;
}
void for_proof(void) {
  unsigned i = 5, max = nd_uint();
  for (; i < max; i++)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= max)
  {
  }
  sassert(max > 5 || i == 5);
  sassert(max < 5 || i == max);
}
void while_proof(void) {
  unsigned i = 5, max = nd_uint();
  assume(max < 1000);
  while (i++ < max)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= max)
  __CPROVER_decreases(max - i)
  {
  }
  sassert(max > 5 || i == 6);
  sassert(i >= 6);
}
void do_proof(void) {
  unsigned i = 5, max = nd_uint();
  assume(max < 1000);
  do
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i < max)
  __CPROVER_decreases(max - i)
  {
    i++;
  }
  while (i < max);
  sassert(max > 5 || i == 6);
  sassert(max <= 6 || i == max);
}
void call_proof(void) {
  unsigned i = 5, max = nd_uint();
  calls = 0;
  while (below(i, max))
  __CPROVER_assigns(i, calls)
  __CPROVER_loop_invariant(i <= max && calls <= 1)
  {
    i++;
    calls = 0;
  }
  sassert(max > 5 || i == 5);
  sassert(max > 5 || calls == 1);
}
void frame_found_proof(void) {
  unsigned i = 5, max = nd_uint(), kept = 7;
  calls = 3;
  while (i < max && ++calls)
  __CPROVER_loop_invariant(i <= max)
  {
    i++;
  }
  sassert(max > 5 || calls == 3);
  sassert(kept == 7);
}
void endless_proof(void) {
  unsigned n = nd_uint(), i = 0;
  for (;;)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i < n)
  {
    if (i >= n) break;
    i++;
    if (i >= n) break;
  }
  sassert(i == n);
  sassert(n > 0 || i == 0);
}
