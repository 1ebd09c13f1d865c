/*
The high half of a product needs a type that is wide enough: unsigned long is not everywhere.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows riscv64-linux
*/
#include <unitproof.h>

static uint32_t high(uint32_t a, uint32_t b) { return (uint32_t)((unsigned long)a * b >> 16 >> 16); }
static uint32_t higher(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }

int main(void) {
  uint32_t a = nd_uint32_t();
  sassert(higher(a, 1u << 31) == a >> 1);
  sassert(high(a, 4) == a >> 30); // want failed assertion on i386-linux armhf-linux powerpc-linux x86_64-windows
  return 0;
}
