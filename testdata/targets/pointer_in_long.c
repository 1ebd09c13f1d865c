/*
A long holds an address, except in LLP64.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  char c;
  long l = (long)(uintptr_t)&c;
  sassert((char *)(uintptr_t)l == &c); // want failed assertion on x86_64-windows
  return 0;
}
