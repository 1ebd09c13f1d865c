/*
Whether char is signed is up to the machine.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  char c = (char)0xff;
  sassert(c < 0); // want failed assertion on armhf-linux powerpc-linux s390x-linux
  sassert(c == 255 || c == -1);
  return 0;
}
