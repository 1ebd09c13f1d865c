/*
A counter of bytes in unsigned long.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  unsigned long total = 0xffffffff;
  total++;
  sassert(total != 0); // want failed assertion on i386-linux armhf-linux powerpc-linux x86_64-windows msp430-none
  return 0;
}
