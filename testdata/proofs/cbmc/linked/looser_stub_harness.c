/*
A stub of one parameter less than what it stands for, without a return: goto-cc leaves the last argument out, and the
result is any. What returns a value on some ways has forgotten it on the others; code under proof has forgotten it.
verdict: failed
obligations: 6
*/
#include <assert.h>
#include "src/clock.h"

int nondet_int(void);

int perhaps(int x) {
  if (x > 0)
    return 1;
}

void looser_stub_harness(void) {
  int now = clock_adjust(40, 2), later = clock_adjust(50, 3);
  __CPROVER_assume(now > 2);
  assert(now > 1);
  assert(now < 7);         // want failed assertion
  assert(later == now);    // want failed assertion
  int x = nondet_int();
  assert(perhaps(x) == 1); // want failed unreachable
}
