/*
The constants of limits.h.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <limits.h>
int main(void) {
  sassert(INT_MAX == 2147483647); // want failed assertion on msp430-none
  sassert(LONG_MAX > INT_MAX); // want failed assertion on i386-linux armhf-linux powerpc-linux x86_64-windows
  sassert(ULLONG_MAX == 18446744073709551615u);
  return 0;
}
