/*
An explicit conversion of an index is defined: with an address of 32 bits, the element is the first one.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <stddef.h>
int main(void) {
  int v[4] = {7, 0, 0, 0};
  unsigned long long i = nd_uint64_t();
  assume(i == 0 || i == 1ULL << 32);
  if (nd_bool()) sassert(v[(size_t)i] == 7); // want failed array-bounds on x86_64-linux s390x-linux x86_64-windows
  int *p = v;
  if (nd_bool()) sassert(p[(size_t)i] == 7); // want failed out-of-bounds-read on x86_64-linux s390x-linux x86_64-windows
  size_t k = i;
  sassert(k == i); // want failed assertion on i386-linux armhf-linux powerpc-linux msp430-none
  return 0;
}
