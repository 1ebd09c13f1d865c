/*
128-bit integers: the product of a 64-bit number fits, its high half is that of the school
method, and the mean of two numbers does not overflow where the 64-bit one does.
verdict: failed
obligations: 5
*/
#include <stdint.h>
#include <unitproof.h>

typedef unsigned __int128 u128;

struct ratio {
  u128 num;
  uint8_t shift;
};

static uint64_t high_half_of_times_5(uint64_t a) {
  uint64_t low = (a & 0xffffffff) * 5, high = (a >> 32) * 5;
  return (high + (low >> 32)) >> 32;
}

static int64_t sum_wide(int64_t a, int64_t b) { return (int64_t)(((__int128)a + b) >> 1); }

static int64_t sum_narrow(int64_t a, int64_t b) {
  return (a + b) >> 1; // want failed signed-overflow
}

int main(void) {
  uint64_t a = nd_uint64_t();
  struct ratio r = {(u128)a * 5, 64};
  sassert((uint64_t)(r.num >> r.shift) == high_half_of_times_5(a));
  sassert(r.num >> 67 == 0);
  sassert((uint64_t)r.num == a * 5);

  int64_t x = nd_int64_t(), y = nd_int64_t();
  int64_t m = sum_wide(x, y);
  sassert((m >= x && m <= y) || (m >= y && m <= x));
  sassert(sum_narrow(x, y) == m);
  return 0;
}
