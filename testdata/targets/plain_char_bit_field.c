/*
A bit-field of type char has the sign of char.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows riscv64-linux
*/
#include <unitproof.h>

struct flags { char low : 3, high : 5; };

int main(void) {
  struct flags f = {0, 0};
  unsigned char v = nd_uint8_t();
  f.low = (char)(v & 7);
  f.high = (char)(v >> 3);
  sassert(f.low >= 0); // want failed assertion on x86_64-linux i386-linux x86_64-windows
  sassert((f.high & 31) == v >> 3);
  sassert(f.low + 8 * f.high <= 255);
  return 0;
}
