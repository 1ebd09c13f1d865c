/*
A function that calls itself is proved by its own contract.
verdict: proved
flags: --contract sum
obligations: 1
*/
#include <unitproof.h>
unsigned sum(unsigned n)
__CPROVER_requires(n < 1000)
__CPROVER_ensures(__CPROVER_return_value <= n * 1000)
{
  if (n == 0)
    return 0;
  return n + sum(n - 1);
}
