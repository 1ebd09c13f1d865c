/*
A result that is_fresh describes has at least so many bytes: how many, its callers do not know.
flags: --entry main
verdict: failed
*/
#include <stdlib.h>
#include <unitproof.h>

int *cell(void)
__CPROVER_assigns()
__CPROVER_ensures(__CPROVER_is_fresh(__CPROVER_return_value, 4));

int main(void) {
  int *p = cell();
  p[0] = 1;
  sassert(__CPROVER_r_ok(p, 4) && __CPROVER_POINTER_OFFSET(p) == 0);
  sassert(!__CPROVER_r_ok(p, 5)); // want unknown assertion
  free(p);
  p = cell();
  p[1] = 1; // want failed out-of-bounds-write
  return 0;
}
