/*
Bit-fields of two types share a unit, but not under the rules of Windows.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows
*/
#include <unitproof.h>

struct two { unsigned char a : 4; unsigned b : 12; };

int main(void) {
  struct two t[2] = {{1, 2}, {3, 4}};
  t[1].a = nd_uint8_t();
  sassert(sizeof t == 2 * sizeof(unsigned)); // want failed assertion on x86_64-windows
  sassert(t[1].b == 4 && t[0].a == 1);
  return 0;
}
