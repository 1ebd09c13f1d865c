/*
A pointer that is copied byte by byte is the same pointer.
verdict: proved
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <string.h>
int main(void) {
  int x = 5, *p = &x, *q;
  unsigned char bytes[sizeof p];
  memcpy(bytes, &p, sizeof p);
  for (unsigned i = 0; i < sizeof p; i++) ((unsigned char *)&q)[i] = bytes[i];
  *q = 7;
  sassert(x == 7);
  return 0;
}
