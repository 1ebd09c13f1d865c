/*
A pointer that a loop assigns points where the invariant says, as `p == e`, in whatever order the clauses stand.
flags: --contract copy
verdict: proved
*/
#include <stddef.h>
#include <stdint.h>
#include <assert.h>

void copy(uint8_t *to, const uint8_t *from, size_t n)
__CPROVER_requires(n <= 100000 && __CPROVER_is_fresh(to, n) && __CPROVER_is_fresh(from, n))
__CPROVER_assigns(__CPROVER_object_upto(to, n))
__CPROVER_ensures(__CPROVER_forall { size_t k; k < n ==> to[k] == from[k] })
{
  const uint8_t *in = from;
  uint8_t *out = to, *other = to;
  size_t left = n;
  while (left > 0)
  __CPROVER_assigns(in, out, left, other, __CPROVER_object_upto(to, n))
  __CPROVER_loop_invariant(left <= n && in == __CPROVER_loop_entry(in) + (__CPROVER_loop_entry(left) - left))
  __CPROVER_loop_invariant(to + (n - left) == out)
  __CPROVER_loop_invariant(__CPROVER_forall { size_t k; k < n - left ==> to[k] == from[k] })
  __CPROVER_decreases(left)
  {
    *out++ = *in++;
    left--;
  }
  assert(in == from + n && out == to + n);
}
