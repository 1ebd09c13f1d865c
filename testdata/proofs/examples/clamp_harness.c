/*
A proof that holds: for any value and any bounds in order, clamp gives a value within the
bounds, and leaves a value alone that was within.
verdict: proved
obligations: 2
*/
#include <unitproof.h>

static int clamp(int x, int lo, int hi) {
  if (x < lo)
    return lo;
  if (x > hi)
    return hi;
  return x;
}

int main(void) {
  int lo = nd_int(), hi = nd_int(), x = nd_int();
  assume(lo <= hi);

  int r = clamp(x, lo, hi);

  sassert(lo <= r && r <= hi);
  sassert(x < lo || x > hi || r == x);
  return 0;
}
