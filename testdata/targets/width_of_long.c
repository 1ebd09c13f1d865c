/*
long is as wide as a pointer, except in LLP64 and where both have 32 bits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  if (nd_bool()) sassert(sizeof(long) == 8); // want failed assertion on i386-linux armhf-linux powerpc-linux x86_64-windows msp430-none
  sassert(sizeof(long) == sizeof(void *)); // want failed assertion on x86_64-windows msp430-none
  return 0;
}
