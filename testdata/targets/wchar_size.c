/*
wchar_t has 16 bits on Windows.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  sassert(sizeof(wchar_t) == 4); // want failed assertion on x86_64-windows msp430-none
  return 0;
}
