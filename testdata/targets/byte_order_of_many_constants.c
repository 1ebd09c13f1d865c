/*
A large table of numbers has the byte order of the machine.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

static const uint32_t words[24] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};

int main(void) {
  unsigned i = nd_uint();
  assume(i < 24);
  const unsigned char *b = (const unsigned char *)words;
  sassert(words[i] == i + 1);
  sassert(b[4 * i + 3] == 0); // want failed assertion on powerpc-linux s390x-linux
  sassert(b[4 * i] == 0); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  return 0;
}
