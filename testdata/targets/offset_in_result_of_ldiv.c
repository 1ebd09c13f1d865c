/*
The second member of ldiv_t.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <stddef.h>
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  int n = nd_int() & 7;
  long at = (long)offsetof(ldiv_t, rem) + n;
  sassert(at == 8 + n); // want failed assertion on i386-linux armhf-linux powerpc-linux
  return 0;
}
