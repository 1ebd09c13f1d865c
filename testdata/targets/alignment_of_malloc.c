/*
The alignment of malloc is that of the C library: 16 bytes with glibc for i386 and PowerPC, 8 for Arm.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux msp430-none
*/
#include <unitproof.h>

#include <stdint.h>
#include <stdlib.h>
int main(void) {
  char *p = malloc(24), *q = calloc(1, 40);
  if (!p || !q) return 0;
  sassert((uintptr_t)p % 2 == 0);
  sassert((uintptr_t)p % 8 == 0); // want failed assertion on msp430-none
  sassert((uintptr_t)q % 16 == 0); // want failed assertion on armhf-linux msp430-none
  free(p);
  free(q);
  return 0;
}
