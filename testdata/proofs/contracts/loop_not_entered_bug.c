/*
What an invariant says is not known where the loop was not entered, and it has to hold where it is.
verdict: failed
obligations: 5
*/
#include <unitproof.h>
static unsigned calls;
static int below(unsigned a, unsigned b) {
  calls++; // want failed assigns
  return a < b;
}
void for_proof(void) {
  unsigned i = 5, max = nd_uint();
  for (; i < max; i++)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= max)
  {
  }
  sassert(i <= max); // want failed assertion
}
void do_proof(void) {
  unsigned i = nd_uint(), max = nd_uint();
  assume(i < max && max < 1000);
  do
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i >= 6) // want failed loop-invariant
  {
    i += 2;
  }
  while (i < max);
  sassert(i >= max);
}
void while_proof(void) {
  unsigned i = 5, max = nd_uint();
  while (i++ < max)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i != 5) // want failed loop-invariant
  {
  }
}
void call_proof(void) {
  unsigned i = 5, max = nd_uint();
  calls = 0;
  while (below(i, max))
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= max)
  {
    i++;
  }
  sassert(calls > 0);
}
void target_proof(void) {
  unsigned a[3] = {0, 0, 0}, k = 0, n = nd_uint();
  assume(n <= 2);
  while (k++ < n)
  __CPROVER_assigns(k, a[k])
  __CPROVER_loop_invariant(k <= n)
  {
    a[0]++;
  }
  sassert(a[0] == 0); // want failed assertion
}
