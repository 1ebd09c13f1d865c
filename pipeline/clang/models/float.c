/*
 * Texts to floats (<stdlib.h>), and the mathematical functions of <math.h> that the engine does not compute by itself.
 *
 * What C and IEC 60559 (C11 annex F) fix is exact: which part of a text is the number, NaN, infinities, zeros, signs,
 * domain errors. So are texts of up to 15 digits whose value is known. Other values are any within the bounds that are
 * given; a violation that needs such a value is no failure (unitproof_any_double).
 */
#define INFINITE __builtin_inf()
#define NO_NUMBER __builtin_nan("")
#define LARGEST 0x1.fffffffffffffp1023
#define SMALLEST_NORMAL 0x1p-1022
enum { EDOM = 33, EXACT_DIGITS = 15, EXACT_POWER = 22 };

static bool is_nan(double x) { return x != x; }
/* C says nothing of NaNs that signal: glibc yields a NaN also where any other operand would not matter. */
static bool may_signal(double x) {
  unsigned long long bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return is_nan(x) && (bits >> 51 & 1) == 0 && nd_bool();
}
static bool is_infinite(double x) { return x == INFINITE || x == -INFINITE; }
static bool is_negative(double x) { return __builtin_signbit(x) != 0; }

/* A value from low to high, neither of which is NaN. */
static double any_from(double low, double high) {
  double x = unitproof_any_double();
  assume(low <= x && x <= high);
  return x;
}

/* errno where a result that is not exact is too small for a normal number: it may be set. */
static double underflowing(double x) {
  if (-SMALLEST_NORMAL <= x && x <= SMALLEST_NORMAL && nd_bool()) errno = ERANGE;
  return x;
}

static double overflowing(double x) {
  if (is_infinite(x)) errno = ERANGE;
  return underflowing(x);
}

/* What a text begins with that is a number, white space and sign in front of it included. */
struct number {
  const char *end; /* behind it; NULL: there is none */
  bool negative, infinite, nan, zero;
  bool decimal;               /* plain digits, perhaps with a fraction or an exponent */
  bool exponent;              /* there is one */
  unsigned long long value;   /* of the first EXACT_DIGITS digits behind leading zeros */
  unsigned long long whole;   /* of those in front of the point */
  size_t digits, whole_digits; /* behind leading zeros, and of those in front of the point */
  int power;                  /* of 10 that value has to be multiplied by, if the digits are few */
};

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  char lower = (char)(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

static bool same_letters(const char *s, const char *lower) {
  for (; *lower != 0; s++, lower++)
    if ((char)(*s | 0x20) != *lower) return false;
  return true;
}

static struct number read_number(const char *s) {
  struct number r = {NULL, false, false, false, true, false, false, 0, 0, 0, 0, 0};
  while (*s == ' ' || (*s >= '\t' && *s <= '\r')) s++;
  if (*s == '+' || *s == '-') r.negative = *s++ == '-';
  char first = (char)(*s | 0x20);
  if (first == 'i' && same_letters(s, "inf")) {
    r.infinite = true;
    r.zero = false;
    r.end = s + (same_letters(s + 3, "inity") ? 8 : 3);
    return r;
  }
  if (first == 'n' && same_letters(s, "nan")) {
    r.nan = true;
    r.zero = false;
    r.end = s + 3;
    if (s[3] == '(') {
      const char *t = s + 4;
      while ((*t >= '0' && *t <= '9') || (*t >= 'a' && *t <= 'z') || (*t >= 'A' && *t <= 'Z') || *t == '_') t++;
      if (*t == ')') r.end = t + 1;
    }
    return r;
  }
  if (*s == '0' && (s[1] == 'x' || s[1] == 'X') && (digit_of(s[2]) < 16 || (s[2] == '.' && digit_of(s[3]) < 16))) {
    s += 2;
    for (; digit_of(*s) < 16; s++) r.zero = r.zero && *s == '0';
    if (*s == '.')
      for (s++; digit_of(*s) < 16; s++) r.zero = r.zero && *s == '0';
    r.end = s;
    if (*s == 'p' || *s == 'P') {
      s++;
      if (*s == '+' || *s == '-') s++;
      if (*s >= '0' && *s <= '9') {
        while (*s >= '0' && *s <= '9') s++;
        r.end = s;
      }
    }
    return r;
  }
  bool some = false, behind = false;
  for (;; s++) {
    if (*s == '.' && !behind) {
      behind = true;
      continue;
    }
    if (*s < '0' || *s > '9') break;
    some = true;
    if (*s != '0') r.zero = false;
    if (!r.zero) {
      if (r.digits < EXACT_DIGITS) r.value = 10 * r.value + (unsigned)(*s - '0');
      r.digits++;
    }
    if (!behind) {
      r.whole = r.value;
      r.whole_digits = r.digits;
    } else if (r.power > -400) {
      r.power--;
    }
  }
  if (!some) return r;
  r.decimal = true;
  r.end = s;
  if (*s == 'e' || *s == 'E') {
    const char *t = s + 1;
    bool down = *t == '-';
    if (*t == '+' || *t == '-') t++;
    if (*t >= '0' && *t <= '9') {
      int e = 0;
      for (; *t >= '0' && *t <= '9'; t++)
        if (e < 10000) e = 10 * e + (*t - '0');
      r.exponent = true;
      r.power += down ? -e : e;
      r.end = t;
    }
  }
  return r;
}

static const double powers_of_ten[EXACT_POWER + 1] = {
  1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The absolute value. Products and quotients of exact numbers are rounded once, as the value of a
   text is (Clinger 1990). */
static double value_of(const struct number *r) {
  if (r->nan) return NO_NUMBER;
  if (r->infinite) return INFINITE;
  if (r->zero) return 0;
  if (r->decimal && r->digits <= EXACT_DIGITS) {
    if (!r->exponent && r->digits == r->whole_digits && r->power == 0) return (double)r->value;
    if (r->power >= -EXACT_POWER && r->power <= EXACT_POWER && unitproof_known(r->value) &&
        unitproof_known((unsigned)r->power))
      return r->power < 0 ? (double)r->value / powers_of_ten[-r->power] : (double)r->value * powers_of_ten[r->power];
  }
  if (!r->decimal || r->exponent) return overflowing(any_from(0, INFINITE));
  if (r->whole_digits <= EXACT_DIGITS) return underflowing(any_from((double)r->whole, (double)(r->whole + 1)));
  if (r->whole_digits <= 308) return any_from(1e14, LARGEST);
  return overflowing(any_from(1e14, INFINITE));
}

static double to_double(const char *s, char **end) {
  struct number r = read_number(s);
  if (end != NULL) *end = (char *)(r.end != NULL ? r.end : s);
  if (r.end == NULL) return 0;
  double x = value_of(&r);
  return r.negative ? -x : x;
}

/*
 * Rounded once more. That is the nearest float, but where the double is in the middle of two, to which it may have been
 * rounded itself, and where floats are less dense.
 */
static float to_float(const char *s, char **end) {
  struct number r = read_number(s);
  if (end != NULL) *end = (char *)(r.end != NULL ? r.end : s);
  if (r.end == NULL) return 0;
  double x = value_of(&r);
  unsigned long long bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  float y = (float)x;
  if (x != 0 && x < 0x1p-125) {
    y = (float)any_from(x < 0x1p-149 ? 0 : x - 0x1p-149, x + 0x1p-149);
    if (y <= 0x1p-126f && nd_bool()) errno = ERANGE;
  } else if ((bits & 0x1fffffff) == 0x10000000) {
    y = (float)any_from(x * (1 - 0x1p-23), x * (1 + 0x1p-23));
  }
  if (y == (float)INFINITE && !r.infinite) errno = ERANGE;
  return r.negative ? -y : y;
}

double strtod(const char *restrict s, char **restrict end) { return to_double(s, end); }
float strtof(const char *restrict s, char **restrict end) { return to_float(s, end); }
double atof(const char *s) { return to_double(s, NULL); }

/* <math.h> */

static double invalid(void) {
  errno = EDOM;
  return NO_NUMBER;
}

static double pole(double x) {
  errno = ERANGE;
  return x;
}

static bool is_whole(double x) { return __builtin_trunc(x) == x; }
static bool is_odd(double x) { return is_whole(x) && !is_whole(x / 2); }

double pow(double x, double y) {
  if (may_signal(x) || may_signal(y)) return NO_NUMBER;
  if (y == 0 || x == 1) return 1;
  if (is_nan(x) || is_nan(y)) return NO_NUMBER;
  if (y == 1) return x;
  bool odd = !is_infinite(y) && is_odd(y), negative = is_negative(x) && odd;
  double size = __builtin_fabs(x);
  if (is_infinite(y)) {
    if (size == 1) return 1;
    return (size > 1) == (y > 0) ? INFINITE : 0;
  }
  if (size == 0 || is_infinite(x)) {
    double r = (size == 0) == (y > 0) ? 0 : INFINITE;
    if (size == 0 && y < 0) errno = ERANGE;
    return negative ? -r : r;
  }
  if (x < 0 && !is_whole(y)) return invalid();
  double r = size == 1 ? 1 : overflowing((size > 1) == (y > 0) ? any_from(1, INFINITE) : any_from(0, 1));
  return negative ? -r : r;
}

double exp(double x) {
  if (is_nan(x) || x == INFINITE) return x;
  if (x == -INFINITE) return 0;
  if (x == 0) return 1;
  if (x > 710) return pole(INFINITE);
  if (x < -746) return pole(0);
  return overflowing(x > 0 ? any_from(1, x < 709 ? LARGEST : INFINITE) : any_from(0, 1));
}

double exp2(double x) {
  if (is_nan(x) || x == INFINITE) return x;
  if (x == -INFINITE) return 0;
  if (x == 0) return 1;
  if (x >= 1024) return pole(INFINITE);
  if (x < -1075) return pole(0);
  return overflowing(x > 0 ? any_from(1, LARGEST) : any_from(0, 1));
}

double expm1(double x) {
  if (is_nan(x) || x == INFINITE || x == 0) return x;
  if (x == -INFINITE) return -1;
  if (x > 710) return pole(INFINITE);
  if (x < 0) return underflowing(any_from(-1, 0));
  return overflowing(any_from(0, x < 709 ? LARGEST : INFINITE));
}

/* A logarithm of base b: log_b(2^1024) <= most, and log_b(2^-1074) >= -most * 1.05. */
static double logarithm(double x, double most) {
  if (is_nan(x) || x == INFINITE) return x;
  if (x == 0) return pole(-INFINITE);
  if (x < 0) return invalid();
  if (x == 1) return 0;
  return x > 1 ? any_from(0, most) : any_from(-1.05 * most, 0);
}

double log(double x) { return logarithm(x, 709.79); }
double log2(double x) { return logarithm(x, 1024); }
double log10(double x) { return logarithm(x, 308.26); }

double log1p(double x) {
  if (is_nan(x) || x == INFINITE || x == 0) return x;
  if (x == -1) return pole(-INFINITE);
  if (x < -1) return invalid();
  return underflowing(x > 0 ? any_from(0, 709.79) : any_from(-745.14, 0));
}

/* sin and cos: 0 and 1 are exact. */
double sin(double x) {
  if (is_infinite(x)) return invalid();
  if (is_nan(x) || x == 0) return x;
  return underflowing(any_from(-1, 1));
}

double cos(double x) {
  if (is_infinite(x)) return invalid();
  if (is_nan(x)) return x;
  return x == 0 ? 1 : any_from(-1, 1);
}

double tan(double x) {
  if (is_infinite(x)) return invalid();
  if (is_nan(x) || x == 0) return x;
  return underflowing(any_from(-LARGEST, LARGEST));
}

#define HALF_PI 0x1.921fb54442d18p0
#define PI 0x1.921fb54442d18p1

double asin(double x) {
  if (is_nan(x) || x == 0) return x;
  if (x < -1 || x > 1) return invalid();
  return underflowing(x < 0 ? any_from(-HALF_PI, 0) : any_from(0, HALF_PI));
}

double acos(double x) {
  if (is_nan(x)) return x;
  if (x < -1 || x > 1) return invalid();
  return x == 1 ? 0 : any_from(0, PI);
}

double atan(double x) {
  if (is_nan(x) || x == 0) return x;
  return underflowing(x < 0 ? any_from(-HALF_PI, 0) : any_from(0, HALF_PI));
}

double atan2(double y, double x) {
  if (is_nan(x) || is_nan(y)) return NO_NUMBER;
  if (y == 0 && !is_negative(x)) return y;
  double r = underflowing(is_negative(x) ? any_from(1.5707, PI) : any_from(0, HALF_PI));
  return is_negative(y) ? -r : r;
}

double sinh(double x) {
  if (is_nan(x) || is_infinite(x) || x == 0) return x;
  double r = overflowing(any_from(0, __builtin_fabs(x) < 710 ? LARGEST : INFINITE));
  return x < 0 ? -r : r;
}

double cosh(double x) {
  if (is_nan(x)) return x;
  if (is_infinite(x)) return INFINITE;
  return x == 0 ? 1 : overflowing(any_from(1, __builtin_fabs(x) < 710 ? LARGEST : INFINITE));
}

double tanh(double x) {
  if (is_nan(x) || x == 0) return x;
  if (is_infinite(x)) return x > 0 ? 1 : -1;
  return underflowing(x < 0 ? any_from(-1, 0) : any_from(0, 1));
}

double hypot(double x, double y) {
  if (may_signal(x) || may_signal(y)) return NO_NUMBER;
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  if (a == INFINITE || b == INFINITE) return INFINITE;
  if (is_nan(x) || is_nan(y)) return NO_NUMBER;
  if (a == 0) return b;
  if (b == 0) return a;
  return overflowing(any_from(a < b ? b : a, INFINITE));
}

double cbrt(double x) {
  if (is_nan(x) || is_infinite(x) || x == 0) return x;
  double size = __builtin_fabs(x);
  double r = size <= 1 ? any_from(size, 1) : any_from(1, size);
  return x < 0 ? -r : r;
}

/* The same for float, rounded once more; what is too large or too small for a float sets errno. */
static float rounded(double x, bool exact) {
  float y = (float)x;
  if ((y == (float)INFINITE || y == -(float)INFINITE) && !is_infinite(x)) errno = ERANGE;
  if (!exact && -0x1p-126f <= y && y <= 0x1p-126f && nd_bool()) errno = ERANGE;
  return y;
}

/* A float that becomes a double does not signal any more. */
static bool may_signal_float(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return is_nan(x) && (bits >> 22 & 1) == 0 && nd_bool();
}

float powf(float x, float y) {
  if (may_signal_float(x) || may_signal_float(y)) return (float)NO_NUMBER;
  return rounded(pow(x, y), y == 1);
}
float expf(float x) {
  if (x > 89 && x < (float)INFINITE) return (float)pole(INFINITE);
  if (x < -104 && x > -(float)INFINITE) return (float)pole(0);
  return rounded(exp(x), x == 0);
}
float exp2f(float x) {
  if (x >= 128 && x < (float)INFINITE) return (float)pole(INFINITE);
  if (x < -150 && x > -(float)INFINITE) return (float)pole(0);
  return rounded(exp2(x), x == 0);
}
float logf(float x) { return rounded(log(x), true); }
float log2f(float x) { return rounded(log2(x), true); }
float log10f(float x) { return rounded(log10(x), true); }
float sinf(float x) { return rounded(sin(x), x == 0); }
float cosf(float x) { return rounded(cos(x), true); }
float tanf(float x) { return rounded(tan(x), x == 0); }
float asinf(float x) { return rounded(asin(x), x == 0); }
float acosf(float x) { return rounded(acos(x), true); }
float atanf(float x) { return rounded(atan(x), x == 0); }
float atan2f(float y, float x) { return rounded(atan2(y, x), y == 0); }
float hypotf(float x, float y) {
  if (may_signal_float(x) || may_signal_float(y)) return (float)NO_NUMBER;
  return rounded(hypot(x, y), false);
}
float cbrtf(float x) { return rounded(cbrt(x), true); }
