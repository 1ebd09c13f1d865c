/*
What the first iteration saw, a later one may overwrite, since the loop assigns it: nothing is known of it afterwards. The
mistake shows after six iterations.
flags: --contract number
verdict: failed
*/
#include <stddef.h>

int number(char *text, size_t *at, size_t n)
__CPROVER_requires(n < 1000000 && __CPROVER_is_fresh(text, n) && __CPROVER_is_fresh(at, sizeof *at) && *at < n)
__CPROVER_assigns(*at, text[0])
__CPROVER_ensures(__CPROVER_return_value ==> text[__CPROVER_old(*at)] >= '0' && text[__CPROVER_old(*at)] <= '9') // want failed postcondition
{
  size_t i;
  for (i = *at; i < n; i++)
  __CPROVER_assigns(i, text[0])
  __CPROVER_loop_invariant(*at <= i && i <= n)
  __CPROVER_decreases(n - i)
  {
    if (text[i] < '0' || text[i] > '9')
      break;
    if (i == 5)
      text[0] = ' ';
  }
  if (i == *at)
    return 0;
  *at = i;
  return 1;
}
