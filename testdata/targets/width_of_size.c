/*
size_t is as wide as a pointer.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  size_t n = nd_size_t();
  sassert(n <= 0xffffffff); // want failed assertion on x86_64-linux s390x-linux x86_64-windows
  sassert(sizeof n == sizeof(void *));
  return 0;
}
