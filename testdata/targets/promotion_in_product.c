/*
The product of two uint16_t overflows an int of 32 bits, and wraps where int has 16.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  uint16_t a = nd_uint16_t();
  uint32_t b = a * a; // want failed signed-overflow on x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows
  sassert(b <= 65535 || sizeof(int) == 4);
  return 0;
}
