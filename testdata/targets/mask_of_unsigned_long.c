/*
A mask that is computed in unsigned long has more bits than a network address on some machines.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows riscv64-linux
*/
#include <unitproof.h>

static unsigned long mask(int prefix) { return prefix ? ~0UL << (32 - prefix) : 0; }

int main(void) {
  int n = nd_int();
  assume(n >= 0 && n <= 32);
  uint32_t address = nd_uint32_t();
  sassert((address & mask(n)) <= address);
  sassert((uint32_t)mask(n) == (n ? 0xffffffffu << (32 - n) : 0));
  sassert(mask(n) <= 0xffffffff); // want failed assertion on x86_64-linux s390x-linux riscv64-linux
  return 0;
}
