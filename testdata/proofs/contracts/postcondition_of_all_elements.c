/* A loop without an invariant in a function whose contract speaks of all elements, before and behind it.
flags: --contract raised
verdict: proved
*/
#include <unitproof.h>

void raised(unsigned char *a, unsigned n, unsigned *sum)
__CPROVER_requires(n <= 100000 && __CPROVER_is_fresh(a, n) && __CPROVER_is_fresh(sum, sizeof *sum))
__CPROVER_requires(__CPROVER_forall { unsigned k; k < n ==> a[k] <= 9 })
__CPROVER_assigns(__CPROVER_object_upto(a, n), *sum)
__CPROVER_ensures(__CPROVER_forall { unsigned k; k < n ==> a[k] <= 10 })
__CPROVER_ensures(*sum <= 9 * n)
{
  *sum = 0;
  for (unsigned i = 0; i < n; i++) {
    *sum += a[i];
    a[i]++;
  }
}
