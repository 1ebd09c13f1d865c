/*
An object of more than half of the addresses does not exist.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <stdlib.h>
int main(void) {
  size_t n = nd_size_t();
  assume(n / 2 <= 0x7fffffff);
  char *p = malloc(n);
  if (!p) return 0;
  sassert(n <= SIZE_MAX / 2);
  sassert(n <= 0x7fffffff); // want failed assertion on x86_64-linux s390x-linux x86_64-windows
  free(p);
  return 0;
}
