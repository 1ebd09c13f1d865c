/*
An index whose high bits cancel out. In as many bits as an address it is a large number plus a constant that wraps.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux
*/
#include <stdint.h>
#include <unitproof.h>

static const int16_t table[4] = {13, 40};

int main(void) {
  int x = 2147483641 + (nd_int() & 1);
  sassert(table[((uint8_t)x ^ x) & 3] == 13);
  long y = -8 + (nd_int() & 1);
  sassert(table[((uint8_t)y ^ y ^ -256) + (y & 1)] + (int)sizeof y != 48); // want failed assertion on x86_64-linux
  return 0;
}
