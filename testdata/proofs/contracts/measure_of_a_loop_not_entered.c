/*
What a loop decreases is computed where the loop is entered: above n it would wrap around. The invariant says too little
for an induction, so that the loop is unrolled.
flags: --contract skip --check unsigned-overflow
verdict: failed
*/
#include <stddef.h>

void skip(const char *text, size_t *at, size_t n)
__CPROVER_requires(n > 0 && n <= 3 && __CPROVER_is_fresh(text, n) && __CPROVER_is_fresh(at, sizeof *at))
__CPROVER_assigns(*at)
__CPROVER_ensures(*at >= __CPROVER_old(*at))
__CPROVER_ensures(*at != 9) // want failed postcondition
{
  size_t i = *at;
  while (i < n)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(*at <= i)
  __CPROVER_decreases(n - i)
  {
    if (text[i] != ' ')
      break;
    i++;
  }
  *at = i;
}
