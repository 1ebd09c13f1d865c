/*
An index of 16 bits wraps.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  unsigned i = 40000, j = 40000;
  unsigned k = i + j;
  sassert(k == 80000); // want failed assertion on msp430-none
  return 0;
}
