/*
Seconds become milliseconds: 25 days are too many for a long of 32 bits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

static long milliseconds(long s) {
  return s * 1000; // want failed signed-overflow on i386-linux armhf-linux powerpc-linux x86_64-windows msp430-none
}

int main(void) {
  long days = nd_long();
  assume(days >= 0 && days <= 30);
  sassert(milliseconds(days * 86400) >= 0);
  return 0;
}
