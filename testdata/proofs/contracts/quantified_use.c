/*
What a callee ensures of all elements is known behind the call, of the elements that it is about and of no others.
flags: --contract use
verdict: failed
*/
#include <stddef.h>
#include <stdint.h>
#include <assert.h>

void fill(uint8_t *a, size_t n, uint8_t v)
__CPROVER_requires(n <= 100000 && __CPROVER_is_fresh(a, n))
__CPROVER_assigns(__CPROVER_object_upto(a, n))
__CPROVER_ensures(__CPROVER_forall { size_t k; k < n ==> a[k] == v });

int use(uint8_t *a, size_t n, size_t i)
__CPROVER_requires(2 < n && n <= 100000 && i < n - 2 && __CPROVER_is_fresh(a, n))
__CPROVER_assigns(__CPROVER_object_upto(a, n))
{
  a[n - 1] = 3;
  fill(a, n - 1, 9);
  assert(a[i] == 9 && a[i + 1] == 9);
  assert(a[n - 1] == 3);
  fill(a + 1, i, 8);
  assert(a[0] == 9 && a[i + 1] == 9);
  assert(i == 0 || a[i] == 8);
  assert(a[i] == 8); // want failed assertion
  return 0;
}
