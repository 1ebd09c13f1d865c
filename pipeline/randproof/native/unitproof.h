/* What a generated proof includes when it runs natively: see runtime.c. */
#ifndef UNITPROOF_H
#define UNITPROOF_H
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The program's variables stand together, so that the runtime can reset them. */
#pragma clang section data = "proof_data" bss = "proof_bss"

unsigned native_choice(unsigned radix);
void native_end(void);
void native_assume(_Bool c);
void native_check(int k, int64_t v, int line);
void *native_malloc(size_t n);
void *native_calloc(size_t n, size_t m);
void *native_realloc(void *p, size_t n);
_Bool native_dereferenceable(const void *p, int64_t n);

#define assume(c) native_assume(c)
#define CHECK(k, ...) native_check(k, (int64_t)(__VA_ARGS__), __LINE__)
#define exit(c) native_end()
#define abort() native_end()
#define malloc native_malloc
#define calloc native_calloc
#define realloc native_realloc
#define sea_is_dereferenceable native_dereferenceable

static int in(int lo, int hi) { return lo + (int)native_choice((unsigned)(hi - lo + 1)); }
static uint64_t bits(uint64_t mask) {
  uint64_t v = 0, k = native_choice(1u << __builtin_popcountll(mask));
  for (int b = 0, i = 0; b < 64; b++)
    if (mask >> b & 1)
      v |= (k >> i++ & 1) << b;
  return v;
}
static void havoc(void *p, unsigned n, unsigned mask) {
  for (unsigned i = 0; i < n; i++)
    ((unsigned char *)p)[i] = (unsigned char)bits(mask);
}
static void fresh(void *p, unsigned n, unsigned mask) { havoc(p, n, mask); }
#define LOCAL(t, x, most) t x = (t)in(0, most)
#endif
