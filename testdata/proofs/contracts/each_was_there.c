/*
What has to hold for each element is that some element was the same before. Where one was changed, there need not be one.
flags: --contract exchange
verdict: failed
*/
#include <stdint.h>

#define EACH_IS_ONE_OF(a, b, n) \
  __CPROVER_forall { uint32_t i; i < (n) ==> __CPROVER_exists { uint32_t j; j < (n) && (a)[i] == (b)[j] } }

void exchange(int16_t r[20], uint32_t x, uint32_t y, int16_t more)
__CPROVER_requires(__CPROVER_is_fresh(r, sizeof(int16_t) * 20))
__CPROVER_requires(x < 20 && y < 20)
__CPROVER_assigns(__CPROVER_object_upto(r, sizeof(int16_t) * 20))
__CPROVER_ensures(more != 0 || EACH_IS_ONE_OF(r, __CPROVER_old(*(int16_t (*)[20])r), 20))
__CPROVER_ensures(EACH_IS_ONE_OF(r, __CPROVER_old(*(int16_t (*)[20])r), 20)) // want failed postcondition
{
  int16_t t = r[x];
  r[x] = (int16_t)(r[y] + more);
  r[y] = t;
}
