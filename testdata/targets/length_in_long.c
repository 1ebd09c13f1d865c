/*
A length of a size_t in a long.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  size_t n = nd_size_t();
  long l = (long)n;
  sassert((size_t)l == n); // want failed assertion on x86_64-windows
  return 0;
}
