/*
The right shift of a char extends its sign where it has one.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  char c = (char)0x80;
  sassert(c >> 7 == 1); // want failed assertion on x86_64-linux i386-linux x86_64-windows msp430-none
  sassert((unsigned char)c >> 7 == 1);
  return 0;
}
