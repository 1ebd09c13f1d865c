/*
int has 16 bits on small machines.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  unsigned x = nd_uint();
  sassert(x <= 65535 || sizeof x == 4);
  sassert(x <= 65535); // want failed assertion on x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows
  return 0;
}
