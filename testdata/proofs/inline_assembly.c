/*
What inline assembly computes is arbitrary: only what does not depend on it can be proved. That
it was there is an assumption of the verdict.
verdict: failed
obligations: 3
*/
#include <stdint.h>
#include <unitproof.h>

static uint32_t rotate(uint32_t x) {
  uint32_t r;
  __asm__("roll $8, %0" : "=r"(r) : "0"(x) : "cc");
  return r;
}

int main(void) {
  uint32_t x = nd_uint32_t();
  uint32_t r = rotate(x), again = rotate(x);
  sassert((r & 0xff) <= 255);
  sassert((r ^ again) <= UINT32_MAX);
  sassert(r == (x << 8 | x >> 24)); // want failed assertion
  return 0;
}
