/*
That the number begins with a digit, the invariant does not say: the first iteration saw it, and the loop does not assign
it. So it is known in all others.
flags: --contract number
verdict: proved
*/
#include <stddef.h>

int number(const char *text, size_t *at, size_t n)
__CPROVER_requires(n < 1000000 && __CPROVER_is_fresh(text, n) && __CPROVER_is_fresh(at, sizeof *at) && *at < n)
__CPROVER_assigns(*at)
__CPROVER_ensures(__CPROVER_return_value ==> text[__CPROVER_old(*at)] >= '0' && text[__CPROVER_old(*at)] <= '9')
{
  size_t i;
  for (i = *at; i < n; i++)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(*at <= i && i <= n)
  __CPROVER_decreases(n - i)
  {
    if (text[i] < '0' || text[i] > '9')
      break;
  }
  if (i == *at)
    return 0;
  *at = i;
  return 1;
}
