/*
The difference of two counters of 32 bits, converted to long, is negative only where long has 32 bits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows riscv64-linux
*/
#include <unitproof.h>

static int expired(uint32_t now, uint32_t deadline) { return (long)(now - deadline) >= 0; }

int main(void) {
  uint32_t now = nd_uint32_t(), delay = nd_uint32_t();
  assume(delay > 0 && delay < 1000);
  sassert(expired(now + delay, now));
  sassert(!expired(now, now + delay)); // want failed assertion on x86_64-linux s390x-linux riscv64-linux
  return 0;
}
