/*
A contract is used at any time, whatever errno is then: it does not hold because errno is 0 at the begin of the program.
verdict: failed
flags: --contract f
obligations: 1
*/
#include <errno.h>
int f(void)
__CPROVER_ensures(__CPROVER_return_value == 0) // want failed postcondition
{
  return errno;
}
