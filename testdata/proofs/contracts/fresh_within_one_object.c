/*
What is_fresh asks for at a call are bytes of its own, which parts of one object are; two that overlap are not. A pointer
that is required to be equal to one that was made is that pointer.
flags: --contract both
verdict: failed
*/
#include <stddef.h>
#include <stdint.h>

void add(const uint8_t *a, const uint8_t *b, uint8_t *r, size_t n)
__CPROVER_requires(n <= 100 && __CPROVER_is_fresh(a, n) && (a == b || __CPROVER_is_fresh(b, n)))
__CPROVER_requires(__CPROVER_is_fresh(r, n))
__CPROVER_assigns(__CPROVER_object_upto(r, n));

void both(uint8_t *x, const uint8_t *y, int z)
__CPROVER_requires(__CPROVER_is_fresh(x, 90))
__CPROVER_requires(y == x || __CPROVER_is_fresh(y, 90))
__CPROVER_requires(0 <= z && z <= 1)
__CPROVER_assigns(__CPROVER_object_whole(x))
{
  add(x, x + 30, x + 60, 30);
  add(x, x, x + 60, 30);
  add(y, y, x + 30, 30);
  x[0] = y[89];
  add(x, x + 29 + z, x + 60, 30); // want failed precondition
}
