/*
A contract is used at any time: it does not hold because of what a variable is at the begin of the program.
verdict: failed
flags: --contract f
obligations: 1
*/
#include <unitproof.h>
int g = 0;
int f(void)
__CPROVER_ensures(__CPROVER_return_value == 0) // want failed postcondition
{
  return g;
}
