/*
The sum of 16-bit words depends on the order of bytes, the folded one is swapped.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  uint8_t b[4];
  memhavoc(b, sizeof b);
  uint16_t *w = (uint16_t *)b;
  uint32_t sum = (uint32_t)w[0] + w[1];
  uint32_t want = ((uint32_t)b[0] << 8 | b[1]) + ((uint32_t)b[2] << 8 | b[3]);
  sassert(sum == want); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  return 0;
}
