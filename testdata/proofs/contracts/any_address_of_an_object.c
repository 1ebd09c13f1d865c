/*
A pointer of which a contract requires nothing may be that of an object where the function is called.
flags: --contract there
verdict: unknown
*/
#include <unitproof.h>

int there(int *p)
__CPROVER_assigns()
__CPROVER_ensures(p != 0 || __CPROVER_return_value == 0)
__CPROVER_ensures(__CPROVER_return_value == 0) // want unknown postcondition
{
  return __CPROVER_r_ok(p, sizeof *p);
}
