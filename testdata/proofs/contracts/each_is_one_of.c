/*
A quantifier within another one: the elements are some of those that were there before, in any order, so what bounds
those bounds them. Nobody says where each of them was.
flags: --contract narrow
verdict: failed
*/
#include <stdint.h>

#define N 256
#define EACH_IS_ONE_OF(a, b) \
  __CPROVER_forall { uint32_t i; i < N ==> __CPROVER_exists { uint32_t j; j < N && (a)[i] == (b)[j] } }
#define BOUND(a, lo, hi) __CPROVER_forall { uint32_t k; k < N ==> (lo) <= (a)[k] && (a)[k] < (hi) }

void permute(int16_t *r)
__CPROVER_requires(__CPROVER_is_fresh(r, sizeof(int16_t) * N))
__CPROVER_assigns(__CPROVER_object_upto(r, sizeof(int16_t) * N))
__CPROVER_ensures(EACH_IS_ONE_OF(r, __CPROVER_old(*(int16_t (*)[N])r)));

void narrow(int16_t *r)
__CPROVER_requires(__CPROVER_is_fresh(r, sizeof(int16_t) * N))
__CPROVER_requires(BOUND(r, 0, 3329))
__CPROVER_assigns(__CPROVER_object_upto(r, sizeof(int16_t) * N))
__CPROVER_ensures(BOUND(r, 0, 3329))
__CPROVER_ensures(BOUND(r, 0, 3328)) // want failed postcondition
{
  permute(r);
}
