/*
The common type of unsigned long and long long.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <unitproof.h>

int main(void) {
  long long b = -1 - (nd_int() & 7);
  unsigned long a = 1;
  sassert(a < b); // want failed assertion on i386-linux armhf-linux powerpc-linux
  return 0;
}
