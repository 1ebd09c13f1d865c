/*
strtol ends at the greatest long.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <stdlib.h>
int main(void) {
  long l = strtol("4294967296", NULL, 10);
  sassert(l == 4294967296); // want failed assertion on i386-linux armhf-linux powerpc-linux x86_64-windows msp430-none
  return 0;
}
