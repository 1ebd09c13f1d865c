/*
1 << 16 and 200 * 200 do not fit an int of 16 bits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  int a = nd_int();
  assume(a >= 0 && a <= 200);
  int b = a * a; // want failed signed-overflow on msp430-none
  sassert(b >= 0);
  return 0;
}
