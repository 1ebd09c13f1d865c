/*
The half of an int at its address.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <string.h>
int main(void) {
  uint32_t x = nd_uint32_t();
  uint16_t half;
  memcpy(&half, &x, sizeof half);
  sassert(half == (uint16_t)x); // want failed assertion on powerpc-linux s390x-linux
  sassert(half == (uint16_t)x || half == x >> 16);
  return 0;
}
