/*
The number of bits of ~0ul.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <unitproof.h>

int main(void) {
  int n = nd_int() & 15;
  int ones = __builtin_popcountl(~0ul << n);
  sassert(ones == 64 - n); // want failed assertion on i386-linux armhf-linux powerpc-linux
  return 0;
}
