/*
A loop that was cut makes the proof bounded, also when no finding says so.
verdict: bounded
flags: --no-check unwinding --unwind 3
obligations: 1
*/
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint();
  sassert(n >= 0);
  for (unsigned i = 0; i < n; i++) {
  }
  return 0;
}
