/*
A result that is_fresh describes is one that free takes: the begin of an object.
flags: --contract inside
verdict: failed
*/
#include <stdlib.h>
#include <unitproof.h>

int *inside(void)
__CPROVER_assigns()
__CPROVER_ensures(__CPROVER_return_value == NULL || __CPROVER_is_fresh(__CPROVER_return_value, 4)) // want failed postcondition
{
  int *p = malloc(8);
  return p ? p + 1 : p;
}
