/*
 * verdict: failed
 *
 * A NaN that signals makes a NaN also where a quiet one would not matter: C leaves that open, and glibc does so. fmax
 * is computed in place by some compilers, and a call of glibc by others.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unitproof.h>

int main(void) {
  uint64_t bits = 0x7ff0000000000000 | nd_uint64_t() % 0x10000000000000;
  double x;
  memcpy(&x, &bits, sizeof x);
  assume(isnan(x));
  double greater = fmax(x, 1), length = hypot(x, INFINITY), power = pow(1, x);
  sassert(isnan(greater) || greater == 1);
  if (bits >> 51 & 1) {
    sassert(greater == 1 && fmin(1, x) == 1);
    sassert(length == INFINITY && pow(x, 0) == 1 && power == 1);
  } else {
    sassert(greater == 1); // want failed assertion
    sassert(length == INFINITY); // want failed assertion
    sassert(pow(x, 0) == 1); // want failed assertion
    sassert(power == 1); // want failed assertion
  }
  uint32_t narrow = 0x7f800001;
  float y;
  memcpy(&y, &narrow, sizeof y);
  sassert(hypotf(y, INFINITY) == INFINITY); // want failed assertion
  sassert(powf(y, 0) == 1); // want failed assertion
}
