/*
The lanes of a vector are in memory in their order.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <unitproof.h>

typedef uint16_t v4 __attribute__((vector_size(8)));
typedef uint32_t v2 __attribute__((vector_size(8)));

int main(void) {
  v4 a = {1, 2, 3, 4};
  v2 b = (v2)a;
  uint16_t *p = (uint16_t *)&a;
  sassert(p[0] == 1 && p[3] == 4);
  sassert(b[0] == 0x00020001); // want failed assertion on powerpc-linux s390x-linux
  sassert(b[1] == 0x00030004); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  return 0;
}
