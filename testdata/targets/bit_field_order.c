/*
Bit-fields begin at the least or at the most significant bit.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

struct bits {
  unsigned char low : 3, high : 5;
};

int main(void) {
  struct bits b = {5, 9};
  unsigned char c = *(unsigned char *)&b;
  sassert(c == (9 << 3 | 5)); // want failed assertion on powerpc-linux s390x-linux
  sassert(c == (5 << 5 | 9)); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  b.low = nd_uint8_t() & 7;
  sassert(b.high == 9);
  return 0;
}
