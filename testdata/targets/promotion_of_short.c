/*
Two unsigned short promote to int, or to unsigned int where int has 16 bits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  uint16_t a = 1, b = 2;
  sassert(a - b < 0); // want failed assertion on msp430-none
  return 0;
}
