/*
 * <math.h>, what IEEE 754 fixes: classes, integral values, exponents, neighbours and remainders; and what compilers
 * call for products and quotients of complex numbers. Results are exact, but where any value is said to be possible.
 */

/* Any number but 0, where C says no more. */
static int nonzero(void) {
  int r = unitproof_any_int();
  assume(r != 0);
  return r;
}


int __isnan(double x) { return __builtin_isnan(x) ? nonzero() : 0; }
int __isinf(double x) { return __builtin_isinf(x) ? (x > 0 ? 1 : -1) : 0; }
int __finite(double x) { return __builtin_isfinite(x) ? nonzero() : 0; }
int __signbit(double x) { return __builtin_signbit(x) ? nonzero() : 0; }
int __fpclassify(double x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
int isnan(double x) { return __isnan(x); }
int isinf(double x) { return __builtin_isinf(x) ? nonzero() : 0; }
int finite(double x) { return __finite(x); }

int __isnanf(float x) { return __builtin_isnan(x) ? nonzero() : 0; }
int __isinff(float x) { return __builtin_isinf(x) ? (x > 0 ? 1 : -1) : 0; }
int __finitef(float x) { return __builtin_isfinite(x) ? nonzero() : 0; }
int __signbitf(float x) { return __builtin_signbitf(x) ? nonzero() : 0; }
int __fpclassifyf(float x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
int isnanf(float x) { return __isnanf(x); }
int isinff(float x) { return __builtin_isinf(x) ? nonzero() : 0; }
int finitef(float x) { return __finitef(x); }

/* A value that does not fit is any, and may be a domain error. */
static long long any_long(void) {
  if (nd_bool()) errno = EDOM;
  return (long long)((unsigned long long)(unsigned)unitproof_any_int() << 32 | (unsigned)unitproof_any_int());
}

long lrint(double x) {
  double r = __builtin_rint(x);
  if (r >= (double)LONG_MIN && r < -(double)LONG_MIN) return (long)r;
  return (long)any_long();
}

long long llrint(double x) {
  double r = __builtin_rint(x);
  if (r >= (double)LLONG_MIN && r < -(double)LLONG_MIN) return (long long)r;
  return (long long)any_long();
}

long lround(double x) {
  double r = __builtin_round(x);
  if (r >= (double)LONG_MIN && r < -(double)LONG_MIN) return (long)r;
  return (long)any_long();
}

long long llround(double x) {
  double r = __builtin_round(x);
  if (r >= (double)LLONG_MIN && r < -(double)LLONG_MIN) return (long long)r;
  return (long long)any_long();
}

long lrintf(float x) {
  float r = __builtin_rintf(x);
  if (r >= (float)LONG_MIN && r < -(float)LONG_MIN) return (long)r;
  return (long)any_long();
}

long long llrintf(float x) {
  float r = __builtin_rintf(x);
  if (r >= (float)LLONG_MIN && r < -(float)LLONG_MIN) return (long long)r;
  return (long long)any_long();
}

long lroundf(float x) {
  float r = __builtin_roundf(x);
  if (r >= (float)LONG_MIN && r < -(float)LONG_MIN) return (long)r;
  return (long)any_long();
}

long long llroundf(float x) {
  float r = __builtin_roundf(x);
  if (r >= (float)LLONG_MIN && r < -(float)LLONG_MIN) return (long long)r;
  return (long long)any_long();
}


/* x times 2^n, rounded once: what musl does. */
static double scaled(double x, long n) {
  if (x == 0 || is_nan(x) || is_infinite(x)) return x;
  if (n > 1023) {
    x *= 0x1p1023;
    n -= 1023;
    if (n > 1023) {
      x *= 0x1p1023;
      n -= 1023;
      if (n > 1023) n = 1023;
    }
  } else if (n < -1022) {
    x *= 0x1p-1022 * 0x1p53;
    n += 1022 - 53;
    if (n < -1022) {
      x *= 0x1p-1022 * 0x1p53;
      n += 1022 - 53;
      if (n < -1022) n = -1022;
    }
  }
  unsigned long long bits = (unsigned long long)(0x3ff + n) << 52;
  double power;
  __builtin_memcpy(&power, &bits, sizeof power);
  return x * power;
}

static double scaled_with_errno(double x, long n) {
  double r = scaled(x, n);
  if (is_infinite(r) && !is_infinite(x)) errno = ERANGE;
  if (r == 0 && x != 0) errno = ERANGE;
  else if (n < 0 && r != 0) return underflowing(r);
  return r;
}

static float scaled_float(float x, long n) {
  double r = scaled(x, n > 400 ? 400 : n < -400 ? -400 : n);
  float y = (float)r;
  if (__builtin_isinf(y) && !__builtin_isinf(x)) errno = ERANGE;
  if (y == 0 && x != 0) errno = ERANGE;
  else if (n < 0 && y != 0 && -0x1p-126f <= y && y <= 0x1p-126f && nd_bool()) errno = ERANGE;
  return y;
}

double scalbn(double x, int n) { return scaled_with_errno(x, n); }
double scalbln(double x, long n) { return scaled_with_errno(x, n < -5000 ? -5000 : n > 5000 ? 5000 : n); }
double ldexp(double x, int n) { return scaled_with_errno(x, n); }
float scalbnf(float x, int n) { return scaled_float(x, n); }
float scalblnf(float x, long n) { return scaled_float(x, n); }
float ldexpf(float x, int n) { return scaled_float(x, n); }

/* The exponent of a finite number that is not 0. */
static int exponent_of(double x) {
  unsigned long long bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  int e = (int)(bits >> 52 & 0x7ff);
  if (e != 0) return e - 1023;
  bits <<= 12;
  return -1023 - __builtin_clzll(bits);
}

double logb(double x) {
  if (is_nan(x)) return x;
  if (is_infinite(x)) return INFINITE;
  if (x != 0) return exponent_of(x);
  if (nd_bool()) errno = ERANGE;
  return -INFINITE;
}
float logbf(float x) { return (float)logb(x); }

#if defined __x86_64__ || defined __i386__ || defined __m68k__
#define ILOGB_ZERO INT_MIN
#define ILOGB_NAN INT_MIN
#else
#define ILOGB_ZERO (-INT_MAX)
#define ILOGB_NAN INT_MAX
#endif
int ilogb(double x) {
  if (x != 0 && __builtin_isfinite(x)) return exponent_of(x);
  errno = EDOM;
  return x == 0 ? ILOGB_ZERO : is_nan(x) ? ILOGB_NAN : INT_MAX;
}
int ilogbf(float x) { return ilogb(x); }

double frexp(double x, int *e) {
  if (is_nan(x) || is_infinite(x)) {
    *e = unitproof_any_int();
    return x;
  }
  *e = 0;
  if (x == 0) return x;
  *e = exponent_of(x) + 1;
  return scaled(x, -*e);
}
float frexpf(float x, int *e) { return (float)frexp(x, e); }

double modf(double x, double *whole) {
  *whole = __builtin_trunc(x);
  if (is_nan(x)) return x;
  return __builtin_copysign(is_infinite(x) ? 0 : x - *whole, x);
}
float modff(float x, float *whole) {
  *whole = __builtin_truncf(x);
  if (x != x) return x;
  return __builtin_copysignf(__builtin_isinf(x) ? 0 : x - *whole, x);
}

double fdim(double x, double y) {
  if (is_nan(x) || is_nan(y)) return NO_NUMBER;
  if (x <= y) return 0;
  double r = x - y;
  if (is_infinite(r) && !is_infinite(x) && !is_infinite(y)) errno = ERANGE;
  return r;
}
float fdimf(float x, float y) {
  if (x != x || y != y) return (float)NO_NUMBER;
  if (x <= y) return 0;
  float r = x - y;
  if (__builtin_isinf(r) && !__builtin_isinf(x) && !__builtin_isinf(y)) errno = ERANGE;
  return r;
}

double nextafter(double x, double y) {
  if (is_nan(x) || is_nan(y)) return NO_NUMBER;
  if (x == y) return y;
  unsigned long long bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  if (x == 0) bits = is_negative(y) ? 1ull << 63 | 1 : 1;
  else if ((x < y) == (x > 0)) bits++;
  else bits--;
  double r;
  __builtin_memcpy(&r, &bits, sizeof r);
  if (is_infinite(r) && !is_infinite(x)) errno = ERANGE;
  return underflowing(r);
}
float nextafterf(float x, float y) {
  if (x != x || y != y) return (float)NO_NUMBER;
  if (x == y) return y;
  unsigned bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  if (x == 0) bits = __builtin_signbitf(y) ? 1u << 31 | 1 : 1;
  else if ((x < y) == (x > 0)) bits++;
  else bits--;
  float r;
  __builtin_memcpy(&r, &bits, sizeof r);
  if (__builtin_isinf(r) && !__builtin_isinf(x)) errno = ERANGE;
  if (-0x1p-126f <= r && r <= 0x1p-126f && nd_bool()) errno = ERANGE;
  return r;
}

/* x minus the multiple of y that is nearest to it, and three digits of that multiple's number: fdlibm's way. */
static double nearest_remainder(double x, double y, unsigned *digits) {
  double size = __builtin_fabs(x), by = __builtin_fabs(y);
  if (by <= LARGEST / 8) size = __builtin_fmod(size, 8 * by);
  *digits = 0;
  if (by <= LARGEST / 4 && size >= 4 * by) {
    size -= 4 * by;
    *digits += 4;
  }
  if (by <= LARGEST / 2 && size >= 2 * by) {
    size -= 2 * by;
    *digits += 2;
  }
  if (by < 2 * SMALLEST_NORMAL) {
    if (size + size > by) {
      size -= by;
      ++*digits;
      if (size + size >= by) {
        size -= by;
        ++*digits;
      }
    }
  } else {
    double half = 0.5 * by;
    if (size > half) {
      size -= by;
      ++*digits;
      if (size >= half) {
        size -= by;
        ++*digits;
      }
    }
  }
  *digits &= 7;
  /* C wants the sign of x, and glibc has none where y is not normal. */
  if (size == 0 && by < 2 * SMALLEST_NORMAL && unitproof_any_int() < 0) return is_negative(x) ? 0.0 : -0.0;
  return is_negative(x) ? -size : size;
}

double remainder(double x, double y) {
  unsigned digits;
  if (is_nan(x) || is_nan(y)) return NO_NUMBER;
  if (is_infinite(x) || y == 0) return invalid();
  if (is_infinite(y)) return x;
  return nearest_remainder(x, y, &digits);
}
float remainderf(float x, float y) { return (float)remainder(x, y); }
double drem(double x, double y) { return remainder(x, y); }
float dremf(float x, float y) { return (float)remainder(x, y); }

double remquo(double x, double y, int *quotient) {
  unsigned digits;
  if (is_nan(x) || is_nan(y) || is_infinite(x) || y == 0) {
    *quotient = unitproof_any_int();
    if (!is_nan(x) && !is_nan(y) && nd_bool()) errno = EDOM;
    return NO_NUMBER;
  }
  if (is_infinite(y)) {
    *quotient = 0;
    return x;
  }
  double r = nearest_remainder(x, y, &digits);
  int n = unitproof_any_int(); /* congruent modulo 8, or a larger power of 2 */
  assume(n >= 0 && ((unsigned)n & 7) == digits);
  *quotient = is_negative(x) != is_negative(y) ? -n : n;
  return r;
}
float remquof(float x, float y, int *quotient) { return (float)remquo(x, y, quotient); }

/*
 * Products and quotients of complex numbers, which compilers call: C11 annex G. A product is exact but for the
 * rounding of its parts; so is a quotient by a real or an imaginary number if it is exact. Any other is close to what
 * is computed here, since libraries differ; of very large and very small numbers, and of those that are infinite, it
 * is any.
 */

typedef _Complex double complex_double;
static complex_double complex_double_of(double real, double imaginary) {
  complex_double z;
  __real__ z = real;
  __imag__ z = imaginary;
  return z;
}
/* 1 for infinite, else 0, with its sign. */
static double boxed_double(double x) { return __builtin_copysign(__builtin_isinf(x) ? 1 : 0, x); }
static double sign_if_nan_double(double x) { return __builtin_isnan(x) ? __builtin_copysign(0, x) : x; }

complex_double __muldc3(double a, double b, double c, double d) {
  double ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc;
  if (!__builtin_isnan(x) || !__builtin_isnan(y)) return complex_double_of(x, y);
  bool again = false;
  if (__builtin_isinf(a) || __builtin_isinf(b)) {
    a = boxed_double(a), b = boxed_double(b), c = sign_if_nan_double(c), d = sign_if_nan_double(d);
    again = true;
  }
  if (__builtin_isinf(c) || __builtin_isinf(d)) {
    c = boxed_double(c), d = boxed_double(d), a = sign_if_nan_double(a), b = sign_if_nan_double(b);
    again = true;
  }
  if (!again && (__builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) || __builtin_isinf(bc))) {
    a = sign_if_nan_double(a), b = sign_if_nan_double(b), c = sign_if_nan_double(c), d = sign_if_nan_double(d);
    again = true;
  }
  if (again) x = INFINITE * (a * c - b * d), y = INFINITE * (a * d + b * c);
  return complex_double_of(x, y);
}

/* Any value that is close to a finite one, in comparison with the size of the whole quotient. */
static double close_double(double x, double size) {
  double r = (double)unitproof_any_double(), slack = size * 0x1p-40 + 0x1p-1000;
  assume(x - slack <= r && r <= x + slack);
  return r;
}
/* The sign of a part that is 0 is any. */
static double zero_double(double x) { return x == 0 && unitproof_any_int() < 0 ? -x : x; }
/* n / d, which is exact, and whose like with a denominator that is squared is exact, too. */
static bool exactly_double(double q, double n, double d) {
  return __builtin_fma(q, d, -n) == 0 && __builtin_fma(n, d, -(n * d)) == 0 &&
         __builtin_fma(d, d, -(d * d)) == 0;
}

static bool moderate_double(double x) {
  return x == 0 || (0x1p-200 <= __builtin_fabs(x) && __builtin_fabs(x) <= 0x1p200);
}

complex_double __divdc3(double a, double b, double c, double d) {
  double x, y;
  if (moderate_double(a) && moderate_double(b) && moderate_double(c) && moderate_double(d) && (c != 0 || d != 0)) {
    if (d == 0) {
      x = a / c, y = b / c;
      if (exactly_double(x, a, c) && exactly_double(y, b, c)) return complex_double_of(zero_double(x), zero_double(y));
    } else if (c == 0) {
      x = b / d, y = -a / d;
      if (exactly_double(x, b, d) && exactly_double(y, -a, d)) return complex_double_of(zero_double(x), zero_double(y));
    } else if (__builtin_fabs(c) >= __builtin_fabs(d)) {
      double ratio = d / c, denominator = c + d * ratio;
      x = (a + b * ratio) / denominator, y = (b - a * ratio) / denominator;
    } else {
      double ratio = c / d, denominator = d + c * ratio;
      x = (a * ratio + b) / denominator, y = (b * ratio - a) / denominator;
    }
    double size = __builtin_fabs(x) + __builtin_fabs(y);
    x = close_double(x, size);
    return complex_double_of(x, close_double(y, size));
  }
  x = (double)unitproof_any_double();
  return complex_double_of(x, (double)unitproof_any_double());
}

typedef _Complex float complex_float;
static complex_float complex_float_of(float real, float imaginary) {
  complex_float z;
  __real__ z = real;
  __imag__ z = imaginary;
  return z;
}
/* 1 for infinite, else 0, with its sign. */
static float boxed_float(float x) { return __builtin_copysignf(__builtin_isinf(x) ? 1 : 0, x); }
static float sign_if_nan_float(float x) { return __builtin_isnan(x) ? __builtin_copysignf(0, x) : x; }

complex_float __mulsc3(float a, float b, float c, float d) {
  float ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc;
  if (!__builtin_isnan(x) || !__builtin_isnan(y)) return complex_float_of(x, y);
  bool again = false;
  if (__builtin_isinf(a) || __builtin_isinf(b)) {
    a = boxed_float(a), b = boxed_float(b), c = sign_if_nan_float(c), d = sign_if_nan_float(d);
    again = true;
  }
  if (__builtin_isinf(c) || __builtin_isinf(d)) {
    c = boxed_float(c), d = boxed_float(d), a = sign_if_nan_float(a), b = sign_if_nan_float(b);
    again = true;
  }
  if (!again && (__builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) || __builtin_isinf(bc))) {
    a = sign_if_nan_float(a), b = sign_if_nan_float(b), c = sign_if_nan_float(c), d = sign_if_nan_float(d);
    again = true;
  }
  if (again) x = (float)INFINITE * (a * c - b * d), y = (float)INFINITE * (a * d + b * c);
  return complex_float_of(x, y);
}

/* Any value that is close to a finite one, in comparison with the size of the whole quotient. */
static float close_float(float x, float size) {
  float r = (float)unitproof_any_double(), slack = size * 0x1p-16f + 0x1p-120f;
  assume(x - slack <= r && r <= x + slack);
  return r;
}
/* n / d, which is exact, and whose like with a denominator that is squared is exact, too. */
static float zero_float(float x) { return x == 0 && unitproof_any_int() < 0 ? -x : x; }
static bool exactly_float(float q, float n, float d) {
  return __builtin_fmaf(q, d, -n) == 0 && __builtin_fmaf(n, d, -(n * d)) == 0 &&
         __builtin_fmaf(d, d, -(d * d)) == 0;
}

static bool moderate_float(float x) {
  return x == 0 || (0x1p-30f <= __builtin_fabsf(x) && __builtin_fabsf(x) <= 0x1p30f);
}

complex_float __divsc3(float a, float b, float c, float d) {
  float x, y;
  if (moderate_float(a) && moderate_float(b) && moderate_float(c) && moderate_float(d) && (c != 0 || d != 0)) {
    if (d == 0) {
      x = a / c, y = b / c;
      if (exactly_float(x, a, c) && exactly_float(y, b, c)) return complex_float_of(zero_float(x), zero_float(y));
    } else if (c == 0) {
      x = b / d, y = -a / d;
      if (exactly_float(x, b, d) && exactly_float(y, -a, d)) return complex_float_of(zero_float(x), zero_float(y));
    } else if (__builtin_fabsf(c) >= __builtin_fabsf(d)) {
      float ratio = d / c, denominator = c + d * ratio;
      x = (a + b * ratio) / denominator, y = (b - a * ratio) / denominator;
    } else {
      float ratio = c / d, denominator = d + c * ratio;
      x = (a * ratio + b) / denominator, y = (b * ratio - a) / denominator;
    }
    float size = __builtin_fabsf(x) + __builtin_fabsf(y);
    x = close_float(x, size);
    return complex_float_of(x, close_float(y, size));
  }
  x = (float)unitproof_any_double();
  return complex_float_of(x, (float)unitproof_any_double());
}
