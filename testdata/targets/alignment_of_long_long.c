/*
64 bits are aligned to 4 bytes on i386 Linux, to 2 on the MSP430.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

struct s {
  char c;
  long long x;
};

int main(void) {
  if (nd_bool()) sassert(sizeof(struct s) == 16); // want failed assertion on i386-linux msp430-none
  sassert(offsetof(struct s, x) == 8); // want failed assertion on i386-linux msp430-none
  sassert(sizeof(struct s) >= 10);
  return 0;
}
