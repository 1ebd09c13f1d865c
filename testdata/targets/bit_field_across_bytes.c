/*
A bit-field of 12 bits in a 16-bit unit.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

struct s {
  uint16_t a : 4, b : 12;
};

int main(void) {
  struct s v = {0xf, 0x123};
  uint8_t *p = (uint8_t *)&v;
  v.b = 0x456;
  sassert(v.a == 0xf && v.b == 0x456);
  sassert(p[0] == 0x6f && p[1] == 0x45); // want failed assertion on powerpc-linux s390x-linux
  sassert(p[0] == 0xf4 && p[1] == 0x56); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  return 0;
}
