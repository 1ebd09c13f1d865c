/*
The second half-word of a long in memory.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <string.h>
#include <unitproof.h>

int main(void) {
  long x = nd_int() & 0xff;
  unsigned short half;
  memcpy(&half, (char *)&x + sizeof x - 2, 2);
  sassert(half == 0); // want failed assertion on powerpc-linux s390x-linux
  return 0;
}
