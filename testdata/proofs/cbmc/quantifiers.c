/*
Quantifiers of CBMC: exact where they are asserted, and never more than they say where they are assumed.
verdict: failed
obligations: 9
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
  assert(b[0] == 0);

  // A bound that is a constant: the assumption says all of it.
  unsigned char c[4] = {nondet_uchar(), nondet_uchar(), nondet_uchar(), nondet_uchar()};
  __CPROVER_assume(ALL_ZERO(c, sizeof(c)) || c[0] == 9);
  assert(c[0] == 9 || ALL_ZERO(c, sizeof(c)));
  __CPROVER_assume(__CPROVER_exists { int i; i >= 0 && i <= 3 && c[i] == 8 });
  assert(c[1] == 8 || c[2] == 8 || c[3] == 8);
  assert(c[1] == 8 || c[2] == 8); // want failed assertion
  size_t n = nondet_uchar(); // here it says less, which can fail but not prove too much
  __CPROVER_assume(n == 4 && ALL_ZERO(b, n));
  return 0;
}
