/*
A loop of 256 iterations, in each of which the contract of a callee says what it gives: that its end is wrong is found by executing it
and not by unrolling.
flags: --contract reduce_all --use-contract reduce
verdict: failed
*/
#include <unitproof.h>
#define Q 3329

short reduce(short c)
__CPROVER_requires(1)
__CPROVER_ensures(-Q < __CPROVER_return_value && __CPROVER_return_value < Q)
{
  return c % Q;
}

void reduce_all(short *c)
__CPROVER_requires(__CPROVER_is_fresh(c, 256 * sizeof *c))
__CPROVER_assigns(__CPROVER_object_upto(c, 256 * sizeof *c))
__CPROVER_ensures(__CPROVER_forall { unsigned k; k < 256 ==> -Q < c[k] && c[k] < Q })
__CPROVER_ensures(__CPROVER_forall { unsigned k; k < 256 ==> -Q < c[k] && c[k] < Q - 1 }) // want failed postcondition
{
  for (unsigned i = 0; i < 256; i++)
  __CPROVER_loop_invariant(i <= 256 && __CPROVER_forall { unsigned k; k < i ==> -Q < c[k] && c[k] < Q })
  {
    c[i] = reduce(c[i]);
  }
}
