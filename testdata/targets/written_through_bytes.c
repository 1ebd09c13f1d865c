/*
A number that is written byte by byte.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  uint32_t x = 0;
  for (unsigned i = 0; i < 4; i++) ((uint8_t *)&x)[i] = (uint8_t)(i + 1);
  sassert(x == 0x04030201); // want failed assertion on powerpc-linux s390x-linux
  return 0;
}
