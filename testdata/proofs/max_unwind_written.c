/*
The default bound is raised to 260 if all executions that were made end within it, which finds the violation here. A
written bound is kept, even if it equals the default.
verdict: bounded
flags: --max-unwind 64
*/
#include <unitproof.h>

void after_two_hundred_proof(void) {
  uint8_t n = nd_uint8_t();
  unsigned s = 0;
  for (unsigned i = 0; i < n; i++) // want bounded unwinding
    s += nd_bool() == (i % 2 == 1); // no random inputs do this 201 times in a row
  sassert(s != 201); // want bounded assertion
}
