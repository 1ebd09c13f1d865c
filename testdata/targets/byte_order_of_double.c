/*
The sign of a double is in its first or in its last byte.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  double d = -2.0;
  unsigned char *b = (unsigned char *)&d;
  sassert(sizeof d == 8);
  sassert(b[7] == 0xc0); // want failed assertion on powerpc-linux s390x-linux
  sassert(b[0] == 0xc0); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  return 0;
}
