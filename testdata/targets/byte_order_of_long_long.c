/*
The halves of 64 bits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  uint64_t x = nd_uint64_t();
  uint32_t *half = (uint32_t *)&x;
  sassert(half[0] == (uint32_t)x); // want failed assertion on powerpc-linux s390x-linux
  sassert(half[1] == (uint32_t)x); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  return 0;
}
