/*
The carries of a checksum are kept in the high half of unsigned long, where it has one.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows riscv64-linux
*/
#include <unitproof.h>

static uint32_t sum(const uint32_t *p, int n) {
  unsigned long s = 0;
  for (int i = 0; i < n; i++) s += p[i];
  while (s > 0xffffffff) s = (s & 0xffffffff) + (s >> 16 >> 16);
  return (uint32_t)s;
}

int main(void) {
  uint32_t a[3] = {0xffffffff, nd_uint32_t() & 7, 2};
  sassert(sum(a + 1, 2) == a[1] + 2);
  sassert(sum(a, 3) == a[1] + 2); // want failed assertion on i386-linux armhf-linux powerpc-linux x86_64-windows
  return 0;
}
