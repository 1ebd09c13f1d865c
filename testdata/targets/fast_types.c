/*
A fast type of 16 bits is as wide as the C library finds fast, and wraps there.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux
*/
#include <unitproof.h>

int main(void) {
  uint_fast16_t n = nd_uint16_t();
  n = n * 65537 + 1;
  sassert((uint16_t)n == (uint16_t)(n & 0xffff));
  n = (uint_fast16_t)-1;
  sassert(n == 0xffffffff); // want failed assertion on x86_64-linux
  return 0;
}
