/*
The product of numbers of 20 and 16 bits does not fit a long of 32 bits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  unsigned long a = nd_long();
  assume(a < 1048576);
  unsigned long c = a * 65536;
  sassert(c >> 16 == a); // want failed assertion on i386-linux armhf-linux powerpc-linux x86_64-windows msp430-none
  return 0;
}
