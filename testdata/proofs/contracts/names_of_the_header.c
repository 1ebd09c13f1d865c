// verdict: failed
// obligations: 12
// The clauses have names of unitproof.h, too, which an ordinary compiler does not see.
#include <stddef.h>
#include <unitproof.h>

void fill(unsigned char *to, size_t n, unsigned char with)
unitproof_requires(n > 0 && unitproof_is_fresh(to, n))
unitproof_assigns(unitproof_object_upto(to, n))
unitproof_ensures(unitproof_forall { size_t k; k < n ==> to[k] == with })
{
  for (size_t i = 0; i < n; i++)
  unitproof_assigns(i, unitproof_object_upto(to, n))
  unitproof_loop_invariant(i <= n && unitproof_forall { size_t k; k < i ==> to[k] == with })
  unitproof_decreases(n - i)
  {
    to[i] = with;
  }
}

unsigned next(unsigned *at)
unitproof_requires(unitproof_is_fresh(at, sizeof *at))
unitproof_assigns(*at)
unitproof_ensures(*at == unitproof_old(*at) + 1)
unitproof_ensures(unitproof_return_value == unitproof_old(*at) + 1) // want failed postcondition
{
  return (*at)++;
}
