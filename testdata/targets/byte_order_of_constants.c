/*
Initialisers have the byte order of the machine.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

static const uint32_t words[2] = {0x01020304, 0x05060708};

int main(void) {
  const unsigned char *b = (const unsigned char *)words;
  sassert(b[0] == 4 && b[7] == 5); // want failed assertion on powerpc-linux s390x-linux
  sassert(b[0] == 1 && b[7] == 8); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  return 0;
}
