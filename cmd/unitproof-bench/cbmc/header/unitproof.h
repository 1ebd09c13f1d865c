/*
 * unitproof.h for CBMC: the words of a unit proof in those of CBMC, to compare the two on the same sources.
 * A local variable that was never written has any value there. (A function without a body has any result, too, and is a
 * failed property.)
 */
#ifndef UNITPROOF_H
#define UNITPROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define assume(c) __CPROVER_assume(c)
#define sassert(c) __CPROVER_assert((c), "sassert(" #c ")")

#define CBMC_ANY(T, NAME) static inline T NAME(void) { T x; return x; }
static inline bool nd_bool(void) { int x; return x != 0; }
CBMC_ANY(char, nd_char)
CBMC_ANY(int, nd_int)
CBMC_ANY(unsigned int, nd_uint)
CBMC_ANY(short, nd_short)
CBMC_ANY(long, nd_long)
CBMC_ANY(int8_t, nd_int8_t)
CBMC_ANY(uint8_t, nd_uint8_t)
CBMC_ANY(int16_t, nd_int16_t)
CBMC_ANY(uint16_t, nd_uint16_t)
CBMC_ANY(int32_t, nd_int32_t)
CBMC_ANY(uint32_t, nd_uint32_t)
CBMC_ANY(int64_t, nd_int64_t)
CBMC_ANY(uint64_t, nd_uint64_t)
CBMC_ANY(size_t, nd_size_t)
CBMC_ANY(ssize_t, nd_ssize_t)
CBMC_ANY(intptr_t, nd_intptr_t)
CBMC_ANY(uintptr_t, nd_uintptr_t)
CBMC_ANY(float, nd_float)
CBMC_ANY(double, nd_double)
CBMC_ANY(void *, nd_voidp)

static inline void memhavoc(void *p, size_t n) {
  if (p != NULL && n > 0)
    __CPROVER_havoc_slice(p, n);
}

static inline bool sea_is_dereferenceable(const void *p, intptr_t n) {
  return n >= 0 && ((n == 0 && p == NULL) || __CPROVER_r_ok(p, (size_t)n));
}

/*
 * CBMC does not record writes. A proof that asks for them names something that does not exist, so that CBMC refuses it.
 */
#define sea_is_modified(p) cbmc_has_no_sea_is_modified
#define sea_reset_modified(p) ((void)cbmc_has_no_sea_reset_modified)
#define sea_tracking_on() ((void)cbmc_has_no_sea_tracking_on)
#define sea_tracking_off() ((void)cbmc_has_no_sea_tracking_off)

#endif
