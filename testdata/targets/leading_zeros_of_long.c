/*
Leading zeros and set bits of a long.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <unitproof.h>

int main(void) {
  int n = nd_int() & 7;
  unsigned long x = 1ul << n;
  int zeros = __builtin_clzl(x);
  sassert(zeros == 63 - n); // want failed assertion on i386-linux armhf-linux powerpc-linux
  return 0;
}
