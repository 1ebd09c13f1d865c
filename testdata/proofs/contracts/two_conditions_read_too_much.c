/*
Both conditions read a[0] where there is none. What violates the second one violates the first one for another k, at which
the solver did not look: it is an execution all the same.
flags: --contract least
verdict: failed
*/
unsigned least(short *a, unsigned n)
__CPROVER_requires(n <= 100 && __CPROVER_is_fresh(a, n * sizeof *a))
__CPROVER_requires(__CPROVER_forall { unsigned k; k < n ==> (a[k] <= 80) })
{
  unsigned r = 0;
  for (unsigned i = 1; i < n; i++)
  __CPROVER_loop_invariant(i <= n || n == 0)
  __CPROVER_loop_invariant(__CPROVER_forall { unsigned k; k < i ==> a[k] <= 90 }) // want failed out-of-bounds-read
  __CPROVER_loop_invariant(__CPROVER_forall { unsigned k; k < i ==> a[k] <= 100 })
  {
    r += (unsigned)(a[i] == 80);
  }
  return r;
}
