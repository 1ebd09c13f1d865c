/*
 * verdict: failed
 *
 * Clang cuts an exponent to the width of what is shifted before it looks at it: 2^32 + 3 passes its check.
 */
#include <stdint.h>
#include <unitproof.h>
int by_a_long_proof(int a, long n) {
  assume((int)n == 3);
  return a >> n; // want failed invalid-shift
}
unsigned left_proof(unsigned a, unsigned long n) {
  assume(n % 256 < 32);
  return a << n; // want failed invalid-shift
}
long by_128_bits_proof(long a, __int128 n) {
  assume((long)n == 3);
  return a >> n; // want failed invalid-shift
}
uint8_t assigned_proof(uint8_t a, int64_t n) {
  assume((int)n == 0);
  a >>= n; // want failed invalid-shift
  return a;
}
unsigned right_proof(unsigned a, unsigned long n) {
  assume(n < 32);
  return a << n >> n;
}
