/*
Bytes that are equal have no order.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <string.h>
int main(void) {
  uint32_t x;
  memset(&x, 0x5a, sizeof x);
  sassert(x == 0x5a5a5a5a);
  memset(&x, 0, 1);
  sassert(x == 0x5a5a5a00); // want failed assertion on powerpc-linux s390x-linux
  return 0;
}
