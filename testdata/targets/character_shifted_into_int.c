/*
A plain char of the upper half is shifted into an int.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <unitproof.h>

int main(void) {
  char c = (char)(0x80 | (nd_int() & 7));
  int x = c * 256;
  sassert(x < 0); // want failed assertion on armhf-linux powerpc-linux s390x-linux
  return 0;
}
