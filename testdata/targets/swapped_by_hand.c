/*
Reading a number in the order of a network is independent of the machine.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

static uint32_t be32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

int main(void) {
  uint32_t x = nd_uint32_t();
  uint8_t b[4] = {(uint8_t)(x >> 24), (uint8_t)(x >> 16), (uint8_t)(x >> 8), (uint8_t)x};
  sassert(be32(b) == x);
  sassert(*(uint32_t *)b == x); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  sassert(*(uint32_t *)b == __builtin_bswap32(x)); // want failed assertion on powerpc-linux s390x-linux
  return 0;
}
