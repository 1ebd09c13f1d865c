/*
What inline assembly computes is not known but for what swaps and rotates bytes: what does not depend on it can be
proved, and what depends on it does not fail. That it was there is an assumption of the verdict.
verdict: unknown
obligations: 9
*/
#include <stdint.h>
#include <unitproof.h>

static uint32_t rotate(uint32_t x) {
  uint32_t r;
  __asm__("roll $8, %0" : "=r"(r) : "0"(x) : "cc");
  return r;
}

static uint64_t swap(uint64_t x) {
  uint64_t r;
  __asm__("bswap %q0" : "=r"(r) : "0"(x));
  return r;
}

static uint16_t swap_two(uint16_t x) {
  __asm__("rorw $8, %w0" : "+r"(x) : : "cc");
  return x;
}

static uint32_t add_one(uint32_t x) {
  __asm__("incl %0" : "+r"(x));
  return x;
}

int main(void) {
  uint32_t x = nd_uint32_t();
  sassert(rotate(x) == (x << 8 | x >> 24));
  sassert((uint32_t)swap(x) == 0);
  sassert(swap((uint64_t)x << 32) == __builtin_bswap32(x));
  uint16_t two = x;
  sassert(swap_two(two) == (uint16_t)(two << 8 | two >> 8));

  uint32_t r = add_one(x), again = add_one(x);
  sassert((r & 0xff) <= 255);
  sassert((r ^ again) <= UINT32_MAX);
  sassert(r == again); // want unknown assertion
  sassert(r == x + 1); // want unknown assertion
  if (r == x)
    sassert(x < 5); // want unknown assertion
  return 0;
}
