/*
A shift by 40 is too far for a long of 32 bits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  unsigned long one = 1;
  unsigned long x = one << 40; // want failed invalid-shift on i386-linux armhf-linux powerpc-linux x86_64-windows msp430-none
  sassert(x >> 40 == 1);
  return 0;
}
