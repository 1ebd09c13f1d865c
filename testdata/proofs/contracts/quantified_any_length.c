/*
Quantifiers whose ranges are not constant: what is assumed of all elements is known of those that are read, and what is
ensured of all of them is looked at for an arbitrary one.
flags: --contract largest
verdict: failed
*/
#include <stddef.h>
#include <stdint.h>

size_t largest(const int *a, size_t n)
__CPROVER_requires(0 < n && n <= 1000000 && __CPROVER_is_fresh(a, n * sizeof *a))
__CPROVER_requires(__CPROVER_forall { size_t k; k < n ==> (0 <= a[k] && a[k] < 100) })
__CPROVER_ensures(__CPROVER_return_value < n)
__CPROVER_ensures(__CPROVER_forall { size_t k; k < n ==> a[k] <= a[__CPROVER_return_value] })
__CPROVER_ensures(__CPROVER_forall { size_t k; (k < __CPROVER_return_value) ==> a[k] < a[__CPROVER_return_value] })
__CPROVER_ensures(__CPROVER_exists { size_t k; k < n && a[k] == a[__CPROVER_return_value] })
__CPROVER_ensures(a[__CPROVER_return_value] < 100)
__CPROVER_ensures(a[__CPROVER_return_value] < 99) // want failed postcondition
{
  size_t m = 0;
  for (size_t i = 1; i < n; i++)
  __CPROVER_assigns(i, m)
  __CPROVER_loop_invariant(1 <= i && i <= n && m < i)
  __CPROVER_loop_invariant(__CPROVER_forall { size_t k; k < i ==> a[k] <= a[m] })
  __CPROVER_loop_invariant(__CPROVER_forall { size_t k; k < m ==> a[k] < a[m] })
  __CPROVER_decreases(n - i)
  {
    if (a[i] > a[m])
      m = i;
  }
  return m;
}
