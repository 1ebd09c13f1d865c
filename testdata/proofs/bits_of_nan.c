/*
C leaves open which sign and payload a NaN has that an operation yields, and which zero fmin and fmax yield of two.
What only moves a value keeps its bits, of a NaN too.
verdict: failed
obligations: 12
*/
#include <unitproof.h>
#include <math.h>
#include <string.h>

static uint64_t bits(double d) {
  uint64_t u;
  memcpy(&u, &d, sizeof u);
  return u;
}

int main(void) {
  double d = nd_double();
  uint64_t w = bits(d);
  sassert(bits(-d) == (w ^ 1ull << 63));
  sassert(bits(fabs(d)) == (w & ~(1ull << 63)));
  sassert(bits(copysign(d, -1.0)) == (w | 1ull << 63));

  double z = nd_double();
  assume(z == 0);
  double q = 0.0 / z, copy = q;
  sassert(isnan(q) && isnan(q + 1) && isnan(-q));
  sassert(bits(copy) == bits(q) && (bits(q) & 0x7ff8000000000000) == 0x7ff8000000000000);
  sassert(bits(-q) == (bits(q) ^ 1ull << 63));

  switch (nd_int()) {
  case 0:
    sassert(!signbit(q)); // want failed assertion
    break;
  case 1:
    sassert(signbit(q)); // want failed assertion
    break;
  case 2:
    sassert(!signbit(sqrt(-1 - fabs(z)))); // want failed assertion
    break;
  case 3: {
    float f = (float)q;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    sassert(u == 0x7fc00000); // want failed assertion
    break;
  }
  case 4:
    sassert(signbit(fmin(0.0, -fabs(z)))); // want failed assertion
    break;
  case 5:
    sassert(fmin(0.0, -fabs(z)) == 0 && fmax(z, 0.0) == 0);
    break;
  case 6: { // bits by way of an array and a loop
    double a[2] = {q, 1};
    unsigned char b[sizeof a];
    for (unsigned i = 0; i < sizeof a; i++)
      b[i] = ((unsigned char *)a)[i];
    memcpy(&d, b, sizeof d);
    sassert(bits(d) == bits(q) && isnan(d));
    sassert(b[7] == 0x7f); // want failed assertion
    break;
  }
  case 7: { // one that is always a NaN, on one of two ways
    double zero = 0, v = nd_bool() ? zero / zero : 1;
    sassert(isnan(v) || v + 1 == 2);
    sassert(v == v); // want failed assertion
    break;
  }
  }
}
