/*
What is_fresh asks for may begin at any address: a caller may pass a + 1.
flags: --contract odd
verdict: failed
*/
#include <stdint.h>
#include <unitproof.h>

int odd(char *p)
__CPROVER_requires(__CPROVER_is_fresh(p, 2))
__CPROVER_assigns()
__CPROVER_ensures(__CPROVER_return_value == 0) // want failed postcondition
{
  return (uintptr_t)p % 2;
}
