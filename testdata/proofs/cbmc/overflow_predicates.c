/*
__CPROVER_overflow_plus and the like ask about the common type of their operands.
verdict: proved
obligations: 4
*/
#include <assert.h>
#include <stdint.h>

uint32_t nondet_uint32_t(void);

int main(void) {
  uint32_t a = nondet_uint32_t(), b = nondet_uint32_t();
  assert(__CPROVER_overflow_plus(a, b) == (a > UINT32_MAX - b));
  assert(__CPROVER_overflow_minus(a, b) == (a < b));
  assert(!__CPROVER_overflow_mult((uint64_t)a, (uint64_t)b));
  assert(__CPROVER_overflow_plus(INT32_MAX, 1));
  return 0;
}
