/*
A large unsigned number in a long.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <unitproof.h>

int main(void) {
  unsigned u = 3000000000u + (nd_uint() & 7);
  long x = (long)u;
  sassert(x > 0); // want failed assertion on i386-linux armhf-linux powerpc-linux
  return 0;
}
