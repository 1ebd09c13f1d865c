/*
unsigned int and long compare as long where long is wider.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  long a = -1;
  unsigned b = 1;
  sassert(a < b); // want failed assertion on i386-linux armhf-linux powerpc-linux x86_64-windows
  return 0;
}
