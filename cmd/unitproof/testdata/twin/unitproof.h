/* The words of the proof language for TestTargetTwins: a program runs natively with many random inputs. */
#pragma once
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

extern jmp_buf twin_end;
extern uint64_t twin_seed;
extern unsigned char twin_failed[1000];

static inline uint64_t twin_random(void) {
  twin_seed ^= twin_seed << 13, twin_seed ^= twin_seed >> 7, twin_seed ^= twin_seed << 17;
  uint64_t r = twin_seed * 0x2545f4914f6cdd1d;
  unsigned how = r >> 60;
  uint64_t v = r ^ r >> 29;
  if (how < 8) v &= ((uint64_t)2 << (r >> 50 & 63)) - 1;           /* of any length */
  else if (how < 11) v = ((uint64_t)1 << (r >> 50 & 63)) + (r >> 40 & 3) - 1; /* near a power of two */
  return how & 1 ? v : how & 2 ? 0 - v : v;
}

#define ND(name, type) \
  static inline type nd_##name(void) { return (type)twin_random(); }
ND(bool, unsigned char) ND(char, char) ND(int, int) ND(uint, unsigned) ND(short, short) ND(long, long)
ND(int8_t, int8_t) ND(uint8_t, uint8_t) ND(int16_t, int16_t) ND(uint16_t, uint16_t) ND(int32_t, int32_t)
ND(uint32_t, uint32_t) ND(int64_t, int64_t) ND(uint64_t, uint64_t) ND(size_t, size_t)
#define nd_bool() (twin_random() >> 13 & 1)

static inline void memhavoc(void *p, size_t n) {
  for (size_t i = 0; i < n; i++) ((unsigned char *)p)[i] = (unsigned char)twin_random();
}

#define assume(c) ((c) ? (void)0 : longjmp(twin_end, 1))
#define sassert(c) ((c) ? (void)0 : (twin_failed[__LINE__] = 1, longjmp(twin_end, 1)))
