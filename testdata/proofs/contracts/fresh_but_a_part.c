/*
What is_fresh asks for may be a part of a larger object where the function is called, so that a contract which tells how
large the object is, and where in it the pointer points, does not hold at each call.
flags: --contract measure
verdict: unknown
*/
#include <unitproof.h>

int measure(int *p)
__CPROVER_requires(__CPROVER_is_fresh(p, sizeof *p))
__CPROVER_assigns(*p)
__CPROVER_ensures(__CPROVER_OBJECT_SIZE(p) == sizeof *p) // want unknown postcondition
__CPROVER_ensures(__CPROVER_POINTER_OFFSET(p) == 0)      // want unknown postcondition
__CPROVER_ensures(__CPROVER_r_ok(p, 4) && __CPROVER_OBJECT_SIZE(p) >= 4)
__CPROVER_ensures(!__CPROVER_r_ok(p, 5)) // want unknown postcondition
__CPROVER_ensures(!__CPROVER_is_freeable(p) || __CPROVER_POINTER_OFFSET(p) == 0)
__CPROVER_ensures(__CPROVER_return_value == 0) // want unknown postcondition
{
  *p = 1;
  return sea_is_dereferenceable(p, 5);
}

int main(void) {
  int a[4] = {0};
  sassert(measure(&a[1]) == 1);
  return 0;
}
