/*
A loop whose end is not constant goes as far as max-unwind says, and no further than it can.
flags: --max-unwind 100 --disable induction
verdict: bounded
*/
#include <unitproof.h>

static unsigned length(unsigned n) {
  unsigned i = 0;
  while (i < n)
    i++;
  return i;
}

void within_proof(void) {
  unsigned n = nd_uint();
  assume(n <= 100);
  sassert(length(n) == n);
}

static unsigned more(unsigned n) {
  unsigned i = 0;
  while (i < n) // want bounded unwinding
    i++;
  return i;
}

void beyond_proof(void) {
  unsigned n = nd_uint();
  assume(n <= 110);
  sassert(more(n) == n); // want bounded assertion
}
