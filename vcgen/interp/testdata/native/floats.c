#include "emit.h"
#include <math.h>

static const double values[] = {0.0, -0.0, 1.0, -1.0, 0.1, 1.5, 2.5, -2.5, 3.7, 1e-310, 4.9e-324, 1e10, 1e300, -1e300, 16777217.0, 9007199254740993.0, 0.49999999999999994, 1e38, 3.5e38, 1.17549421e-38, INFINITY, -INFINITY, NAN};
enum { N = sizeof values / sizeof values[0] };

static void pair(double a, double b) {
  emit_double(a + b);
  emit_double(a - b);
  emit_double(a * b);
  emit_double(a / b);
  emit_double(a * b + 1.0);
  float x = (float)a, y = (float)b;
  emit_float(x + y);
  emit_float(x * y - x);
  emit_float(x / y);
  emit((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | !(a < b) << 6 | !(x >= y) << 7);
}

void program(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j += 2)
      pair(values[i], values[j]);
  for (int i = 0; i < N; i++) {
    double d = values[i];
    emit_double(__builtin_fabs(d));
    emit_double(__builtin_copysign(2.0, d));
    emit_float((float)d);
    emit_double((double)(float)d);
    emit(__builtin_isnan(d) | __builtin_isinf(d) << 1 | (__builtin_signbit(d) != 0) << 2);
    if (d > -1e18 && d < 1e18) {
      emit((uint64_t)(int64_t)d);
      emit_double((double)(int64_t)d);
    }
    if (d > -1.0 && d < 4e9)
      emit((unsigned)d);
    if (d > -1.0 && d < 200.0)
      emit((unsigned char)d);
  }
  for (uint64_t u = 1; u != 0; u = u * 5 + (u >> 60 ? 0 : 3)) {
    emit_float((float)u);
    emit_double((double)(int64_t)u);
    emit_double((double)u);
    emit_float((float)(unsigned __int128)u * 3);
    if (u >> 62)
      break;
  }
}
