/*
With the kind unreachable switched off, a function that ends without a value gives any, as for CBMC.
verdict: failed
flags: --no-check unreachable
obligations: 3
*/
#include <assert.h>

int stub(int x) {}
int perhaps(int x) {
  if (x > 0)
    return 1;
}
int nondet_int(void);

int main(void) {
  int r = stub(3);
  __CPROVER_assume(r > 2);
  assert(r > 1);
  assert(r == 3); // want failed assertion
  int x = nondet_int(), y = perhaps(x);
  assert(x <= 0 || y == 1);
  assert(y == 1); // want failed assertion
  return 0;
}
