/*
 * Rounding modes: what rounding to nearest decides by itself is decided, what another mode may change is unknown, and
 * what no mode changes is proved.
 * verdict: failed
 */
#include <assert.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <unitproof.h>

static void queries(void) {
  fenv_t e;
  sassert(fegetround() == FE_TONEAREST && FLT_ROUNDS == 1);
  sassert(fesetround(FE_UPWARD) == 0 && fegetround() == FE_UPWARD && FLT_ROUNDS == 2);
  sassert(fesetround(12345) != 0 && fegetround() == FE_UPWARD);
  fegetenv(&e);
  fesetround(FE_TOWARDZERO);
  sassert(FLT_ROUNDS == 0);
  fesetenv(&e);
  sassert(fegetround() == FE_UPWARD);
  feupdateenv(FE_DFL_ENV);
  sassert(fegetround() == FE_TONEAREST);
}

static void exact(int mode) {
  fesetround(mode);
  double x = nd_double();
  assume(x >= -4 && x <= 4);
  sassert(floor(x) <= x && x <= ceil(x) && fabs(x) <= 4);
  sassert((int)1.75 == 1 && (double)nd_int() <= INT32_MAX);
  sassert(x * 2 >= -8.5 && x * 2 <= 8.5); // at most one float further
}

static void integral(void) {
  fesetround(FE_DOWNWARD);
  sassert(rint(2.75) == 2 && nearbyint(-2.25) == -3 && floor(-2.25) == -3 && round(2.5) == 3);
  fesetround(FE_UPWARD);
  sassert(rint(2.25) == 3 && rintf(-2.75f) == -2);
  fesetround(FE_TOWARDZERO);
  sassert(rint(2.75) == 2 && rint(-2.75) == -2);
  sassert(rint(2.75) == 3); // want failed assertion
}

static void operations(int mode) {
  double x = 1, y = 3, d = 0.1, two = 2;
  long l = 9007199254740993;
  fesetround(mode);
  sassert(x / y == 0x1.5555555555555p-2);    // want unknown assertion
  sassert(d + two == 2.1);                   // want unknown assertion
  sassert(x - d == 0.9);                     // want unknown assertion
  sassert(d * y == 0x1.3333333333334p-2);    // want unknown assertion
  sassert(sqrt(two) == 0x1.6a09e667f3bcdp0); // want unknown assertion
  sassert(fma(d, d, d) == 0.11);             // want unknown assertion
  sassert((float)d == 0.1f);                 // want unknown assertion
  sassert((double)l == 9007199254740992.0);  // want unknown assertion
  sassert(!signbit(x - x));                  // want unknown assertion
}

static void again(int mode) {
  fesetround(mode);
  fesetround(FE_TONEAREST);
  double x = 1, y = 3;
  sassert(x / y == 0x1.5555555555555p-2);
  sassert(x / y == 0x1.5555555555556p-2); // want failed assertion
}

static void unneeded(void) {
  volatile double x = 1;
  int n = nd_int();
  fesetround(FE_UPWARD);
  x = x / 3;
  sassert(n != 7); // want failed assertion
}

static void perhaps(void) {
  double x = 1, y = 3;
  if (nd_bool()) fesetround(FE_UPWARD);
  sassert(x / y == 0x1.5555555555555p-2); // want unknown assertion
}

static void loop(void) {
  double x = 1, y = 3;
  int n = nd_int(), i;
  assume(n <= 8);
  for (i = 0; i < n; i++) fesetround(i == 5 ? FE_DOWNWARD : FE_TONEAREST);
  sassert(x / y == 0x1.5555555555555p-2); // want unknown assertion
}

int main(void) {
  int mode = FE_DOWNWARD;
  switch (nd_int()) {
  case 1: queries(); break;
  case 2: exact(nd_int()); break;
  case 3: integral(); break;
  case 4: operations(mode); break;
  case 5: again(nd_int()); break;
  case 6: unneeded(); break;
  case 7: perhaps(); break;
  case 8: loop(); break;
  }
}
