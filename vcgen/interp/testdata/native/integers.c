#include "emit.h"

static const int64_t interesting[] = {0, 1, -1, 2, 7, -8, 100, 127, 128, 255, 256, 32767, -32768, 65535, 2147483647, -2147483647 - 1, 4294967295, 1234567890123, INT64_MAX, INT64_MIN};
enum { N = sizeof interesting / sizeof interesting[0] };

#define UNSIGNED(T, a, b)                                                      \
  do {                                                                         \
    T x = (T)(a), y = (T)(b);                                                  \
    sum = sum * 31 + (T)(x + y) + 3 * (T)(x - y) + 5 * (T)((uint64_t)x * y);   \
    if (y != 0)                                                                \
      sum = sum * 31 + (T)(x / y) + (T)(x % y);                                \
    sum ^= (T)((uint64_t)x << (y % (sizeof(T) * 8)));                          \
    sum += (T)(x >> (y % (sizeof(T) * 8))) + (x < y) * 2 + (x == y);           \
  } while (0)

#define SIGNED(T, a, b)                                                        \
  do {                                                                         \
    T x = (T)(a), y = (T)(b), r;                                               \
    sum = sum * 37 + __builtin_add_overflow(x, y, &r);                         \
    sum += (uint64_t)r;                                                        \
    sum = sum * 37 + __builtin_sub_overflow(x, y, &r);                         \
    sum += (uint64_t)r;                                                        \
    sum = sum * 37 + __builtin_mul_overflow(x, y, &r);                         \
    sum += (uint64_t)r;                                                        \
    if (y != 0 && y != -1)                                                     \
      sum = sum * 37 + (uint64_t)(x / y) + (uint64_t)(x % y);                  \
    sum ^= (uint64_t)(x >> ((uint64_t)y % (sizeof(T) * 8)));                   \
    sum += (x < y) * 2 + (x >= y);                                             \
  } while (0)

static void wide(int64_t a, int64_t b) {
  __int128 x = (__int128)a * b;
  unsigned __int128 y = ((unsigned __int128)(uint64_t)a << 64) | (uint64_t)b;
  emit((uint64_t)(x >> 64));
  emit((uint64_t)x);
  emit((uint64_t)(y % 1000003));
  if (b != 0)
    emit((uint64_t)(y / (uint64_t)b >> 3));
  emit(x < (__int128)y);
  emit((uint64_t)((unsigned __int128)x << (b & 127)));
}

static void builtins(uint64_t x) {
  emit(__builtin_popcountll(x) + __builtin_popcount((unsigned)x));
  if (x != 0)
    emit(__builtin_clzll(x) * 100 + __builtin_ctzll(x));
  emit(__builtin_bswap64(x) ^ __builtin_bswap32((uint32_t)x) ^ __builtin_bswap16((uint16_t)x));
  emit(__builtin_bitreverse64(x) ^ __builtin_bitreverse8((uint8_t)x));
  emit(__builtin_rotateleft32((uint32_t)x, 7) ^ __builtin_rotateright64(x, 13));
  emit((unsigned)__builtin_ffsll((long long)x) + (unsigned)__builtin_parityll(x));
  emit(__builtin_expect(x == 5, 0) + (uint64_t)__builtin_constant_p(x) * 0);
}

void program(void) {
  uint64_t sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      UNSIGNED(uint8_t, interesting[i], interesting[j]);
      UNSIGNED(uint16_t, interesting[i], interesting[j]);
      UNSIGNED(uint32_t, interesting[i], interesting[j]);
      UNSIGNED(uint64_t, interesting[i], interesting[j]);
      SIGNED(int8_t, interesting[i], interesting[j]);
      SIGNED(int16_t, interesting[i], interesting[j]);
      SIGNED(int32_t, interesting[i], interesting[j]);
      SIGNED(int64_t, interesting[i], interesting[j]);
      emit(sum);
    }
  for (int i = 0; i < N; i++) {
    wide(interesting[i], interesting[(i * 7 + 3) % N]);
    builtins((uint64_t)interesting[i]);
  }
}
