/*
Quantifiers of CBMC: exact where they are asserted, and never more than they say where they are assumed.
verdict: failed
obligations: 5
*/
#include <assert.h>
#include <stddef.h>

#define ALL_ZERO(p, n)                    \
  __CPROVER_forall {                      \
    size_t i;                             \
    (i >= 0 && i < (n)) ==> ((p)[i] == 0) \
  }

unsigned char nondet_uchar(void);

int main(void) {
  unsigned char a[4] = {0, 0, 0, 0}, b[4];
  assert(ALL_ZERO(a, 4));
  for (int k = 0; k < 3; k++)
    b[k] = 0;
  b[3] = nondet_uchar();
  assert(__CPROVER_forall { size_t i; i < 3 ==> b[i] == 0 });
  assert(ALL_ZERO(b, 4)); // want failed assertion
  assert(!__CPROVER_exists { size_t i; i < 3 && b[i] != 0 });
  __CPROVER_assume(ALL_ZERO(b, 4));
  assert(a[0] == 0);
  return 0;
}
