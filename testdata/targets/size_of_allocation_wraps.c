/*
n * 4 wraps in a size_t of 32 bits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <stdlib.h>
int main(void) {
  uint32_t n = nd_uint32_t();
  assume(n > 0 && n <= 0x40000000);
  size_t size = (size_t)n * 4;
  sassert(size / 4 == n); // want failed assertion on i386-linux armhf-linux powerpc-linux msp430-none
  return 0;
}
