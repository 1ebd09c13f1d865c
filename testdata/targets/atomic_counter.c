/*
Atomic operations on numbers of the machine's byte order.
verdict: proved
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  unsigned x = 255;
  __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
  sassert(x == 256);
  sassert(*(unsigned char *)&x == 0);
  return 0;
}
