/*
A char as an index is negative where char is signed.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

static unsigned char table[256];

int main(void) {
  char c = nd_char();
  int i = c;
  sassert(i >= 0); // want failed assertion on x86_64-linux i386-linux x86_64-windows msp430-none
  if (i >= 0) table[i] = 1;
  return 0;
}
