/*
Rounding up to a multiple of a number that is not constant: behind the checks that neither is zero, the quotient needs no
more bits than its operands, and its product with the divisor is a sum. What the checks leave out is still there where
they are not passed.
verdict: failed
*/
#include <assert.h>
#include <unitproof.h>

static uint32_t align_up(uint32_t size, uint32_t page, int check) {
  if (check && size == 0)
    return 0;
  const uint64_t n = size, p = page;
  const uint64_t result = p * ((n - 1) / p + 1); // want failed division-by-zero
  return result <= UINT32_MAX ? (uint32_t)result : 0;
}

int main(void) {
  uint32_t size = nd_uint32_t(), page = nd_uint32_t(), all = page;
  if (page != 0 && nd_bool()) {
    uint32_t got = align_up(size, page, 1);
    assert(got == 0 || got >= size);              // want proved assertion
    assert(got == 0 || got - size < page);        // want proved assertion
    assert(got == 0 || got != 12 || size > 8);    // want failed assertion
    assert(size == 0 || size > 4096 || page > 4096 || got != 0); // want proved assertion
  } else if (nd_bool() && size == 0) {
    uint32_t got = align_up(size, page, 0); // (2^64 - 1) / page wraps, and is not what 32 bits would give
    assert(got == 0 || page == 3);          // want failed assertion
  }
  uint32_t used = nd_uint32_t();
  if (used <= all && used > 5) {
    uint64_t free = (uint64_t)all - used;
    assert(free % used < used);          // want proved assertion
    assert(free / used * used <= free);  // want proved assertion
    assert((uint64_t)(used - 6) / 7 < 613566757); // want proved assertion
  }
  return 0;
}
