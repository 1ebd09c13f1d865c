/*
The parameters of an entry are arbitrary values. An entry can be named by its prefix.
verdict: failed
obligations: 2
*/
#include <unitproof.h>

static int sign(int x) { return (x > 0) - (x < 0); }

void proof_sign(int x, short scale) {
  sassert(sign(x) * sign(x) <= 1);
  assume(scale > 0);
  sassert(sign(x / scale) == sign(x)); // want failed assertion
}
