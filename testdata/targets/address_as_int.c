/*
An address fits an unsigned int where pointers have 32 bits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  int x = 0;
  int *p = &x;
  unsigned n = (unsigned)(uintptr_t)p;
  sassert((int *)(uintptr_t)n == p); // want failed assertion on x86_64-linux s390x-linux x86_64-windows
  return 0;
}
