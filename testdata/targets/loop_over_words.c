/*
A loop over words of a buffer sees bytes in the order of the machine.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  uint8_t b[8] = {1, 0, 0, 0, 2, 0, 0, 0};
  uint32_t s = 0;
  for (int i = 0; i < 2; i++) s += ((uint32_t *)b)[i];
  sassert(s == 3); // want failed assertion on powerpc-linux s390x-linux
  sassert(s == 0x03000000); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  return 0;
}
