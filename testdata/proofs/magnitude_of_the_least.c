/*
The least number has no magnitude of its type, in abs as in the built-in functions, which clang computes in place.
verdict: failed
obligations: 11
*/
#include <stdlib.h>
#include <limits.h>
#include <unitproof.h>

int proof_builtin(void) {
  int x = nd_int();
  int a = __builtin_abs(x); // want failed signed-overflow
  sassert(a >= 0);
  return a;
}

int proof_builtin_long(void) {
  long x = nd_long();
  long a = __builtin_labs(x); // want failed signed-overflow
  long long y = nd_long();
  a = a / 2 + __builtin_llabs(y) / 2; // want failed signed-overflow
  sassert(a >= 0);
  return a > 3;
}

int proof_called(void) {
  int x = nd_int();
  int a = abs(x); // want failed signed-overflow
  sassert(a >= 0);
  return a;
}

int proof_all_but_the_least(void) {
  int x = nd_int();
  short y = (short)nd_int();
  assume(x != INT_MIN);
  int a = __builtin_abs(x), b = __builtin_abs(y);
  sassert(a == (x < 0 ? -x : x) && b <= 32768);
  return a;
}
