/*
An enum is an unsigned int, unless the ABI makes it short.
verdict: proved
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

enum e { A, B = 200 };

int main(void) {
  enum e x = nd_bool() ? A : B;
  sassert(sizeof x == sizeof(int));
  sassert(x == A || x == B);
  return 0;
}
