/*
The quantifier stands in a header, and no C file names anything of CBMC.
verdict: failed
obligations: 2
*/
#include <assert.h>

#include "src/zeroed.h"

int nondet_int(void);

void zeroed_harness(void) {
  int pair[2] = {0, nondet_int()};
  if (zeroed(pair))
    assert(pair[1] == 0);
  else
    assert(pair[1] != 1); // want failed assertion
}
