/*
The first assumption bounds hi, which makes the last one the constant false: both are named nevertheless, and not the one between.
verdict: vacuous
*/
#include <unitproof.h>

int main(void) {
  unsigned lo = nd_uint(), hi = nd_uint(), step = nd_uint();
  assume(lo <= hi && hi < 100);
  assume(step < 7);
  assume(hi > 200);
  sassert(lo + step <= hi); // want vacuous assertion
  return 0;
}
