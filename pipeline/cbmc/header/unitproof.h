/*
 * unitproof.h for CBMC: the words of a unit proof in those of CBMC, to compare the two on the same sources.
 * Functions that are declared and not defined return any value there, as they do here.
 */
#ifndef UNITPROOF_H
#define UNITPROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define assume(c) __CPROVER_assume(c)
#define sassert(c) __CPROVER_assert((c), "sassert(" #c ")")

bool nd_bool(void);
char nd_char(void);
int nd_int(void);
unsigned int nd_uint(void);
short nd_short(void);
long nd_long(void);
int8_t nd_int8_t(void);
uint8_t nd_uint8_t(void);
int16_t nd_int16_t(void);
uint16_t nd_uint16_t(void);
int32_t nd_int32_t(void);
uint32_t nd_uint32_t(void);
int64_t nd_int64_t(void);
uint64_t nd_uint64_t(void);
size_t nd_size_t(void);
ssize_t nd_ssize_t(void);
intptr_t nd_intptr_t(void);
uintptr_t nd_uintptr_t(void);
float nd_float(void);
double nd_double(void);
void *nd_voidp(void);

static inline void memhavoc(void *p, size_t n) {
  if (p != NULL && n > 0)
    __CPROVER_havoc_slice(p, n);
}

static inline bool sea_is_dereferenceable(const void *p, intptr_t n) {
  return n >= 0 && ((n == 0 && p == NULL) || __CPROVER_r_ok(p, (size_t)n));
}

/* CBMC does not record writes. A proof that asks for them names something that does not exist, so that CBMC refuses it. */
#define sea_is_modified(p) cbmc_has_no_sea_is_modified
#define sea_reset_modified(p) ((void)cbmc_has_no_sea_reset_modified)
#define sea_tracking_on() ((void)cbmc_has_no_sea_tracking_on)
#define sea_tracking_off() ((void)cbmc_has_no_sea_tracking_off)

#endif
