/*
A union shows the bytes of its members.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

union u {
  uint32_t word;
  uint16_t half[2];
  uint8_t byte[4];
};

int main(void) {
  union u v;
  v.byte[0] = 1, v.byte[1] = 2, v.byte[2] = 3, v.byte[3] = 4;
  if (nd_bool()) sassert(v.word == 0x04030201); // want failed assertion on powerpc-linux s390x-linux
  if (nd_bool()) sassert(v.half[0] == 0x0201); // want failed assertion on powerpc-linux s390x-linux
  sassert(v.half[1] == 0x0304); // want failed assertion on x86_64-linux i386-linux armhf-linux x86_64-windows msp430-none
  return 0;
}
