/*
The first byte of a number is its least significant one, or its most significant one.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  uint32_t x = nd_uint32_t();
  unsigned char *b = (unsigned char *)&x;
  sassert(b[0] == (x & 0xff)); // want failed assertion on powerpc-linux s390x-linux
  sassert(b[3] == (x & 0xff)); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  return 0;
}
