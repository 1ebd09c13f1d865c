/*
A double in a struct on i386 Linux is aligned to 4 bytes.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

struct s {
  int n;
  double d;
};

int main(void) {
  struct s a[2];
  sassert((char *)&a[1] - (char *)&a[0] == 16); // want failed assertion on i386-linux msp430-none
  return 0;
}
