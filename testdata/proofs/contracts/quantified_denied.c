/*
A quantifier that is denied, or stands in a comparison, says what it says: not more where it is assumed, and not less
where it has to hold.
flags: --contract probe
verdict: failed
*/
#include <stddef.h>
#include <stdint.h>

int probe(const uint8_t *a, const uint8_t *b, uint32_t n)
__CPROVER_requires(1 < n && n <= 100000 && __CPROVER_is_fresh(a, n) && __CPROVER_is_fresh(b, n))
__CPROVER_requires(!__CPROVER_forall { uint32_t k; k < n ==> a[k] == 0 })
__CPROVER_requires(!__CPROVER_exists { uint32_t k; k < n && b[k] == 7 })
__CPROVER_ensures(__CPROVER_exists { uint32_t k; k < n && a[k] != 0 })
__CPROVER_ensures(__CPROVER_forall { uint32_t k; k < n ==> b[k] != 7 })
__CPROVER_ensures(!__CPROVER_forall { uint32_t k; k < n ==> a[k] == 0 })
__CPROVER_ensures(b[n - 1] != 7)
__CPROVER_ensures(__CPROVER_forall { uint32_t k; k < n ==> a[k] == 0 } || a[0] == 0 || a[0] != 0)
__CPROVER_ensures(a[0] != 0 || a[1] != 0) // want failed postcondition
{
  return a[0] + b[0];
}
