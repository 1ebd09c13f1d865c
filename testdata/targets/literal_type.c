/*
A literal has the first type that it fits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  sassert(sizeof(2147483648) == 8);
  if (nd_bool()) sassert(sizeof(40000) == sizeof(int)); // want failed assertion on msp430-none
  sassert(-1 < 0x80000000); // want failed assertion
  return 0;
}
