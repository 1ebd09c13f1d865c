/*
memcmp of numbers orders them where the first byte is the most significant.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <string.h>
int main(void) {
  uint32_t a = nd_uint32_t(), b = nd_uint32_t();
  assume(a < b);
  sassert(memcmp(&a, &b, 4) < 0); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  return 0;
}
