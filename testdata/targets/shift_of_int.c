/*
A shift by 16 is too far for an int of 16 bits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  unsigned one = 1;
  unsigned x = one << 16; // want failed invalid-shift on msp430-none
  sassert(x == 65536);
  return 0;
}
