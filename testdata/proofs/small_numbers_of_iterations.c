/*
Loops that end within 260 iterations in all executions that were made are unrolled to their ends, though the default
bound is 64. One assertion is violated behind the default bound.
verdict: failed
*/
#include <unitproof.h>

void all_proof(void) {
  uint8_t n = nd_uint8_t();
  unsigned s = 0;
  for (unsigned i = 0; i < n; i++)
    s += nd_uint8_t() & 3;
  sassert(s <= 3 * 255);
}

void after_two_hundred_proof(void) {
  uint8_t n = nd_uint8_t();
  unsigned s = 0;
  for (unsigned i = 0; i < n; i++)
    s += nd_bool();
  sassert(s != 201); // want failed assertion
}
