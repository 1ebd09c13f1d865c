/*
A clause that need not have a value is told where the function is proved, also where the rest of it holds.
verdict: failed
flags: --contract name
*/
#include <unitproof.h>
#include <string.h>

void name(char *s, unsigned n)
__CPROVER_requires(n > 0 && n <= 16 && __CPROVER_is_fresh(s, n))
__CPROVER_assigns(__CPROVER_object_upto(s, n))
__CPROVER_ensures(strlen(s) <= n) // want failed out-of-bounds-read
{
  memset(s, 'a', n);
}
