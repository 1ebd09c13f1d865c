/*
A function that only ever calls itself is cut after some calls; one that a constant ends is followed to its end.
verdict: failed
obligations: 4
*/
#include <unitproof.h>

static int climbs(unsigned x) { return climbs(x + 1); } // want bounded unwinding

int proof_without_an_end(void) { return climbs(nd_uint()); }

static int chooses(unsigned x) {
  if (x & 1)
    return chooses(x / 2); // want bounded division-by-zero
  return chooses(x + 1) + 1; // want bounded unwinding
}

int proof_without_an_end_both_ways(void) { return chooses(6); }

static unsigned ends(unsigned n, unsigned x) { return n == 0 ? x : ends(n - 1, x ^ n); }

int proof_with_an_end(void) {
  unsigned x = nd_uint();
  sassert(ends(100, x) == (x ^ 100));
  sassert(ends(3, x) == (x ^ 1)); // want failed assertion
  return 0;
}
