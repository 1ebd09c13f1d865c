/*
A char that is not signed is never EOF.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

static char next(void) { return nd_char(); }

int main(void) {
  char c = next();
  int i = c;
  if (nd_bool()) sassert(i != -1); // want failed assertion on x86_64-linux i386-linux x86_64-windows msp430-none
  sassert((c & 0x80) == 0 || c < 0); // want failed assertion on armhf-linux powerpc-linux s390x-linux
  return 0;
}
