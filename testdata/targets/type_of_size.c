/*
size_t is another type on each machine, and so are sums with it.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <stddef.h>

#define KIND(x) _Generic(x, int: 1, unsigned: 2, long: 3, unsigned long: 4, long long: 5, unsigned long long: 6)

int main(void) {
  unsigned u = nd_uint() & 7;
  size_t n = u;
  sassert(sizeof(size_t) == sizeof(void *));
  if (nd_bool())
    sassert(KIND(n) == 4); // want failed assertion on i386-linux armhf-linux powerpc-linux x86_64-windows msp430-none
  sassert(KIND(u + 1L) == 3); // want failed assertion on i386-linux armhf-linux powerpc-linux x86_64-windows
  sassert(u - sizeof(char) + 1 == u);
  return 0;
}
