/*
An index that a 32-bit product wraps into the array.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <stdlib.h>
int main(void) {
  size_t n = nd_size_t();
  assume(n <= 0x10000001u && n > 0);
  uint32_t *a = malloc(n * sizeof *a * 4);
  if (!a) return 0;
  a[3] = 1; // want failed out-of-bounds-write on i386-linux armhf-linux powerpc-linux msp430-none
  free(a);
  return 0;
}
