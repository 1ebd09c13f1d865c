/*
 * Compares the models of libc functions whose results are bounded or arbitrary (m_*), and of formatted input and
 * output, with the C library: what the library did must be among what the model allows. The choices of the model are
 * made for that: values are the library's, and all ways to decide are tried. Prints the first differences.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t seed = 1;
static unsigned pick(unsigned n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(seed >> 33) % n;
}
static uint64_t bits64(void) { return (uint64_t)pick(1u << 16) << 48 ^ (uint64_t)pick(1u << 24) << 24 ^ pick(1u << 24); }

/* What the library did: the model's choices. */
static double doubles[4];
static int integers[4];
static unsigned nintegers;
static unsigned decisions, ndoubles, ndecisions;
static unsigned long long shown; /* by unitproof_known, whose digits are asked for */
static unsigned ndigits;
static long number;
static size_t length;
static const unsigned char *bytes;
static bool know;
static jmp_buf refused;

bool nd_bool(void) { return decisions >> ndecisions++ & 1; }
int nd_int(void) { return (int)number; }
long nd_long(void) { return number; }
size_t nd_size_t(void) { return length; }
int nd_argc(void) { return 0; }
unsigned nd_uint(void) {
  unsigned long long v = shown;
  for (unsigned i = 1; i < ndigits; i++) v /= 10;
  ndigits--;
  return (unsigned)(v % 10);
}
bool unitproof_known(unsigned long long v) {
  shown = v;
  ndigits = v >> 32 == 0 ? 10 : 20;
  return know;
}
static bool signs; /* unitproof_any_int decides about the sign of a zero */
int unitproof_any_int(void) { return signs ? -(int)nd_bool() : integers[nintegers++ % 4]; }
void unitproof_set_rounding(int *mode, int to) { *mode = to; }
double unitproof_any_double(void) { return doubles[ndoubles++ % 4]; }
void assume(bool c) {
  if (!c) longjmp(refused, 1);
}
void memhavoc(void *p, size_t n) {
  if (bytes != NULL) memcpy(p, bytes, n);
  else memset(p, 'x', n);
}
void unitproof_reads(const void *p, size_t n) { for (size_t i = 0; i < n; i++) (void)((const volatile char *)p)[i]; }
void unitproof_apart(const void *a, size_t n, const void *b, size_t m) {}
bool unitproof_scans(void) { return false; }
size_t unitproof_find(const void *s, size_t n, unsigned char c, bool zero) { abort(); }
size_t unitproof_find_last(const void *s, size_t n, unsigned char c) { abort(); }
size_t unitproof_differ(const void *a, const void *b, size_t n, bool zero) { abort(); }
void unitproof_other_conversion(void) { longjmp(refused, 2); }

int *m___errno_location(void);
static int failures;
static long calls;
static void fail(const char *what, const char *detail) {
  if (failures++ < 12) printf("%s: the library does what the model does not: %s\n", what, detail);
}

/* Numbers that matter: small ones, edges, random bits. */
static double a_double(void) {
  static const double edges[] = {0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 3, 1e-300, 1e300, 4.9e-324, -4.9e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
                                 -1.7976931348623157e308, INFINITY, -INFINITY, NAN, 709.78, 709.79, 710, -745.13, -745.14, -746, 1023.5, 1024, -1074.5, -1075,
                                 88.72, 88.73, 128, -149, -150, 1.5707963267948966, 3.141592653589793, 9007199254740993.0, 4503599627370497.5};
  switch (pick(4)) {
    case 0: return edges[pick(sizeof edges / sizeof *edges)];
    case 1: return (int)pick(41) - 20;
    case 2: return ((int)pick(2000001) - 1000000) / 997.0;
    default: {
      uint64_t b = bits64();
      double x;
      memcpy(&x, &b, 8);
      return x;
    }
  }
}

static bool same_double(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

/* One function of doubles, with all decisions and the value's absolute as well. */
typedef double function1(double);
typedef double function2(double, double);
typedef float function1f(float);
typedef float function2f(float, float);

#define TRY(name, call, want, agrees, values, ...)                                                            \
  {                                                                                                           \
    calls++;                                                                                                  \
    bool ok = false;                                                                                          \
    int error = errno;                                                                                        \
    for (volatile unsigned way = 0; way < (values) * 8u && !ok; way++) {                                      \
      decisions = way % 8;                                                                                    \
      ndecisions = ndoubles = nintegers = 0;                                                                              \
      double raw[4] = {__VA_ARGS__};                                                                          \
      for (int k = 0; k < 4; k++) { /* as it is, its absolute, and what is rounded to it */                  \
        doubles[k] = way / 8 % 2 ? fabs(raw[k]) : raw[k];                                                    \
        if (way / 16) doubles[k] = isinf(doubles[k]) ? copysign(1e300, doubles[k]) : doubles[k] * (1 - 0x1p-25); \
      }                               \
      *m___errno_location() = 0;                                                                              \
      if (setjmp(refused) == 0) {                                                                             \
        __typeof__(want) got = call;                                                                          \
        ok = agrees(got, want) && *m___errno_location() == error;                                             \
      }                                                                                                       \
    }                                                                                                         \
    if (!ok) {                                                                                                \
      char detail[200];                                                                                       \
      snprintf(detail, sizeof detail, "%.17g (%.17g, %.17g), errno %d, %s", (double)want, (double)x, (double)y, error, text_of); \
      fail(name, detail);                                                                                     \
    }                                                                                                         \
  }

static void mathematics(void) {
  const char *text_of = "";
  double x = a_double(), y = a_double();
#define ONE(name)                                  \
  {                                                \
    function1 m_##name;                            \
    errno = 0;                                     \
    double want = name(x);                         \
    TRY(#name, m_##name(x), want, same_double, 2, want, want, want, want) \
  }
#define TWO(name)                                  \
  {                                                \
    function2 m_##name;                            \
    errno = 0;                                     \
    double want = name(x, y);                      \
    TRY(#name, m_##name(x, y), want, same_double, 2, want, want, want, want) \
  }
  ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh)
  ONE(tanh) ONE(cbrt) TWO(pow) TWO(atan2) TWO(hypot)
  float xf = (float)x, yf = (float)y;
  x = xf, y = yf;
#define ONEF(name)                                 \
  {                                                \
    function1f m_##name;                           \
    errno = 0;                                     \
    float want = name(xf);                         \
    TRY(#name, m_##name(xf), want, same_double, 4, want, want, want, want) \
  }
#define TWOF(name)                                 \
  {                                                \
    function2f m_##name;                           \
    errno = 0;                                     \
    float want = name(xf, yf);                     \
    TRY(#name, m_##name(xf, yf), want, same_double, 4, want, want, want, want) \
  }
  ONEF(expf) ONEF(exp2f) ONEF(logf) ONEF(log2f) ONEF(log10f) ONEF(sinf) ONEF(cosf) ONEF(tanf) ONEF(asinf) ONEF(acosf) ONEF(atanf) ONEF(cbrtf) TWOF(powf)
  TWOF(atan2f) TWOF(hypotf)
}

static bool same_number(long long a, long long b) { return a == b; }

/* What IEEE 754 fixes: the results are the library's, bit by bit. */
static void exact_mathematics(void) {
  const char *text_of = "";
  double x = a_double(), y = a_double(), part, mpart;
  int n = (int)pick(3) == 0 ? (int)pick(4400) - 2200 : (int)pick(80) - 40, e, me;
  if (pick(3) == 0) y = x * ((int)pick(30) - 15) / 2;
#define EXACT(type, name, params, args, agrees)     \
  {                                                \
    type m_##name params;                          \
    errno = 0;                                     \
    type want = name args;                         \
    integers[0] = (int)(unsigned long long)want;   \
    TRY(#name, m_##name args, want, agrees, 1, 0, 0, 0, 0) \
  }
#define OF_TWO(name) EXACT(double, name, (double, double), (x, y), same_double)
#define OF_TWOF(name) EXACT(float, name, (float, float), (xf, yf), same_double)
  OF_TWO(fdim) OF_TWO(nextafter)
  signs = true;
  OF_TWO(remainder) OF_TWO(drem)
  signs = false;
  EXACT(double, logb, (double), (x), same_double)
  EXACT(int, ilogb, (double), (x), same_number) EXACT(double, scalbn, (double, int), (x, n), same_double)
  EXACT(double, scalbln, (double, long), (x, n), same_double) EXACT(double, ldexp, (double, int), (x, n), same_double)
  float xf = (float)x, yf = (float)y;
  OF_TWOF(fdimf) OF_TWOF(nextafterf) OF_TWOF(remainderf) OF_TWOF(dremf) EXACT(float, logbf, (float), (xf), same_double)
  EXACT(int, ilogbf, (float), (xf), same_number) EXACT(float, scalbnf, (float, int), (xf, n), same_double)
  EXACT(float, ldexpf, (float, int), (xf, n), same_double)
  if (fabs(x) < 9e18) {
    EXACT(long, lrint, (double), (x), same_number) EXACT(long long, llrint, (double), (x), same_number)
    EXACT(long, lround, (double), (x), same_number) EXACT(long long, llround, (double), (x), same_number)
    EXACT(long, lrintf, (float), (xf), same_number) EXACT(long, lroundf, (float), (xf), same_number)
  }
  int __isnan(double), __isinf(double), __finite(double), __signbit(double), __fpclassify(double);
  int __isnanf(float), __isinff(float), __finitef(float), __signbitf(float), __fpclassifyf(float);
  EXACT(int, __isnan, (double), (x), same_number) EXACT(int, __isinf, (double), (x), same_number)
  EXACT(int, __finite, (double), (x), same_number) EXACT(int, __signbit, (double), (x), same_number)
  EXACT(int, __fpclassify, (double), (x), same_number) EXACT(int, __fpclassifyf, (float), (xf), same_number)
  EXACT(int, __isnanf, (float), (xf), same_number) EXACT(int, __isinff, (float), (xf), same_number)
  EXACT(int, __finitef, (float), (xf), same_number) EXACT(int, __signbitf, (float), (xf), same_number)
  double m_frexp(double, int *), m_modf(double, double *), m_remquo(double, double, int *);
  float m_modff(float, float *), m_frexpf(float, int *), partf, mpartf;
  double want = frexp(x, &e);
  errno = 0;
  integers[0] = e;
  TRY("frexp", m_frexp(x, &me), want, same_double, 1, 0, 0, 0, 0)
  if (me != e) fail("frexp's exponent", "");
  want = frexpf(xf, &e);
  integers[0] = e;
  TRY("frexpf", m_frexpf(xf, &me), (float)want, same_double, 1, 0, 0, 0, 0)
  if (me != e) fail("frexpf's exponent", "");
  want = modf(x, &part);
  TRY("modf", m_modf(x, &mpart), want, same_double, 1, 0, 0, 0, 0)
  if (!same_double(part, mpart)) fail("modf's whole", "");
  want = modff(xf, &partf);
  TRY("modff", m_modff(xf, &mpartf), (float)want, same_double, 1, 0, 0, 0, 0)
  if (!same_double(partf, mpartf)) fail("modff's whole", "");
  errno = 0;
  e = 0;
  want = remquo(x, y, &e);
  bool defined = !isnan(want);
  integers[0] = integers[1] = abs(e) & 7;
  if (want == 0 && fabs(y) < 0x1p-1021) integers[0] = signbit(want) == signbit(x) ? 0 : -1;
  TRY("remquo", m_remquo(x, y, &me), want, same_double, 1, 0, 0, 0, 0)
  if (defined && (abs(me) & 7) != (abs(e) & 7)) fail("remquo's quotient", "");
  if (defined && (me < 0) != (e < 0) && (e & 7) != 0) fail("remquo's sign", "");
}

/* Products of complex numbers are the library's, quotients close to these, and the same where they are exact. */
static void complex_mathematics(void) {
  const char *text_of = "";
  _Complex double __muldc3(double, double, double, double), __divdc3(double, double, double, double);
  _Complex double m___muldc3(double, double, double, double), m___divdc3(double, double, double, double);
  double a = a_double(), b = a_double(), c = a_double(), d = pick(3) ? a_double() : 0, x = a, y = b;
  if (pick(2)) a = (int)pick(64) * 3, b = (int)pick(64) * 3, c = 3;
  _Complex double want = __muldc3(a, b, c, d);
  errno = 0;
  TRY("__muldc3", __real__ m___muldc3(a, b, c, d), __real__ want, same_double, 1, 0, 0, 0, 0)
  TRY("__muldc3", __imag__ m___muldc3(a, b, c, d), __imag__ want, same_double, 1, 0, 0, 0, 0)
  want = __divdc3(a, b, c, d);
  signs = true;
  TRY("__divdc3", __real__ m___divdc3(a, b, c, d), __real__ want, same_double, 1, __real__ want, __imag__ want, 0, 0)
  TRY("__divdc3", __imag__ m___divdc3(a, b, c, d), __imag__ want, same_double, 1, __real__ want, __imag__ want, 0, 0)
  signs = false;
}

/* A text of its own allocation. */
static char *text(const char *from, unsigned max) {
  unsigned n = pick(max + 1), m = (unsigned)strlen(from);
  char *s = malloc(n + 1);
  for (unsigned i = 0; i < n; i++) s[i] = from[pick(m)];
  s[n] = 0;
  return s;
}

static char *number_text(void) {
  static const char *const edges[] = {"inf", "-Infinity", "nan", "NaN(12_a)", "nan(", "infinit", "0x", "0x1p4", "0x.8", "0x.", "0x1p", "-0", "1e", "1e+", "1e999", "-1e999", "1e-999", ".", "-.5", "5.",
                                      "  \t+12.50", "1e5x", "4.9e-324", "2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623157e308", "1.7976931348623159e308",
                                      "9007199254740993", "999999999999999", "9999999999999999", "0.1", "0.000000000000000000000000000001", "16777217", "3.4028235e38", "3.4028236e38",
                                      "1.1754943e-38", "1e-46", "7e-46", "0.50000002980232238769531250000001", "1.00000005960464477539062500000001", "123456789.0625", "1e22", "1e23", "5e-22", "", "-", "+e5"};
  char buffer[60];
  switch (pick(5)) {
    case 0: return strdup(edges[pick(sizeof edges / sizeof *edges)]);
    case 1: snprintf(buffer, sizeof buffer, "%.*g", (int)pick(20), a_double()); return strdup(buffer);
    case 2: snprintf(buffer, sizeof buffer, "%.*f", (int)pick(6), ((int)pick(2000001) - 1000000) / 64.0); return strdup(buffer);
    case 3: return text(" +-0123456789.eE", 12);
    default: return text("0123456789.", 24);
  }
}

static void floats(void) {
  char *s = number_text(), *text_of = s, *end, *mend;
  double m_strtod(const char *, char **), m_atof(const char *), x = 0, y = 0;
  float m_strtof(const char *, char **);
  know = pick(2);
  errno = 0;
  double want = strtod(s, &end);
  if (errno == ERANGE && isnan(want)) errno = 0;
  TRY("strtod", m_strtod(s, &mend), want, same_double, 2, want, want, want, want)
  if (mend != end) fail("strtod's end", s);
  TRY("atof", m_atof(s), want, same_double, 2, want, want, want, want)
  errno = 0;
  float wantf = strtof(s, &end);
  double exact = strtod(s, NULL);
  errno = 0;
  (void)strtof(s, NULL);
  TRY("strtof", m_strtof(s, &mend), wantf, same_double, 2, exact, wantf, wantf, wantf)
  if (mend != end) fail("strtof's end", s);
  free(s);
}

/* Integers, characters and strings: exactly the same text. */
static void formats(void) {
  static const char *const conversions[] = {"d", "i", "u", "x", "X", "o", "ld", "lu", "lx", "lld", "llu", "llo", "zu", "hd", "hhd", "hu", "hhx", "jd", "td", "c", "s", "%"};
  int m_snprintf(char *, size_t, const char *, ...);
  char format[80] = "", have[160], want[160], part[40];
  long long v[2];
  bool strings[2] = {false, false};
  int width[2], precision[2], stars = 0;
  for (int k = 0; k < 2; k++) {
    const char *c = conversions[pick(sizeof conversions / sizeof *conversions)];
    strings[k] = *c == 's';
    unsigned shift = pick(64);
    v[k] = (long long)(bits64() >> shift) * (pick(2) ? 1 : -1);
    if (pick(12) == 0) v[k] = pick(2) ? LLONG_MIN : 0;
    strcat(format, pick(2) ? "" : "a b");
    if (*c == '%') {
      strcat(format, "%%");
      v[k] = 0;
      continue;
    }
    strcat(format, "%");
    for (unsigned i = pick(3); i > 0; i--) strcat(format, (const char *[]){"-", "+", " ", "#", "0"}[*c == 'c' || *c == 's' ? 0 : pick(5)]);
    if (pick(3) == 0) snprintf(part, sizeof part, "%u", pick(25) + 1), strcat(format, part);
    if (*c != 'c' && pick(3) == 0) snprintf(part, sizeof part, ".%u", pick(25)), strcat(format, part);
    strcat(format, c);
  }
  (void)width, (void)precision, (void)stars;
  union {
    long long v;
    const char *s;
  } a[2];
  char *owned[2] = {NULL, NULL};
  for (int k = 0; k < 2; k++) {
    a[k].v = v[k];
    if (strings[k]) a[k].s = owned[k] = text("abcdefghij", 12);
  }
  /* A "%%" takes no argument. */
  const char *first = strstr(format, "%%");
  bool skipped = first != NULL && strchr(format, '%') == first;
  if (skipped) a[0] = a[1];
  size_t room = pick(3) ? sizeof have : pick(20);
  memset(have, '#', sizeof have);
  memset(want, '#', sizeof want);
  know = pick(2);
  calls++;
  int got = -2, n = snprintf(room == 0 ? NULL : want, room, format, a[0].v, a[1].v);
  decisions = ndecisions = 0;
  if (setjmp(refused) == 0) got = m_snprintf(room == 0 ? NULL : have, room, format, a[0].v, a[1].v);
  if (got != n || memcmp(have, want, sizeof have) != 0) {
    char detail[500];
    snprintf(detail, sizeof detail, "\"%s\" of %lld, %lld gives \"%.*s\" (%d), the model \"%.*s\" (%d)", format, a[0].v, a[1].v, room == 0 ? 0 : n, want, n, room == 0 ? 0 : n, have, got);
    fail("snprintf", detail);
  }
  free(owned[0]), free(owned[1]);
}

static void star_and_float_formats(void) {
  int m_snprintf(char *, size_t, const char *, ...);
  char have[800], want[800];
  int width = (int)pick(41) - 20, precision = (int)pick(30) - 3;
  char *s = text("abc", 20);
  double x = a_double();
  calls++;
  int n = snprintf(want, sizeof want, "%*d|%.*s|%-*.*d", width, (int)pick(1), precision, s, width, precision, 77), got = -2;
  know = true;
  if (setjmp(refused) == 0) got = m_snprintf(have, sizeof have, "%*d|%.*s|%-*.*d", width, 0, precision, s, width, precision, 77);
  if (got != n || strcmp(have, want) != 0) fail("snprintf with *", want);
  static const char *const floating[] = {"%f", "%e", "%g", "%.0f", "%.3e", "%10.2f", "%-12g", "%+.10g", "%a", "%#g", "%.20f", "%030.3f"};
  const char *format = floating[pick(sizeof floating / sizeof *floating)];
  n = snprintf(want, sizeof want, format, x);
  /* The number of bytes without padding, of which the model knows bounds. */
  for (length = 1; length < 400; length++) {
    got = -2;
    if (setjmp(refused) == 0) got = m_snprintf(NULL, 0, format, x);
    if (got == n) break;
  }
  if (got != n) fail("length of a float", want);
  free(s);
}

static void scans(void) {
  static const char *const formats[] = {"%d", "%i", "%u", "%x", "%o", "%ld", "%lld", "%zu", "%hd", "%hhd", "%c", "%3c", "%s", "%4s", "%[a-f]", "%[^,]", "%5[0-9]", "%[]x]", "%n", " %d", "%*d", "%2d",
                                        "%3x", "%i ,", ",", "%%", "x", "%*s", "%*[ab]", "%lu"};
  int m_sscanf(const char *, const char *, ...);
  char format[80] = "", *s;
  for (unsigned k = 0; k < 1 + pick(3); k++) strcat(format, formats[pick(sizeof formats / sizeof *formats)]);
  s = text((const char *[]){" 0123456789", "+-0x17f ,", "abc,] x", "09af ,%x"}[pick(4)], 24);
  char want[4][32], have[4][32];
  memset(want, '#', sizeof want);
  memset(have, '#', sizeof have);
  calls++;
  volatile int got = -2, n = sscanf(s, format, want[0], want[1], want[2], want[3]), refusal;
  for (volatile unsigned way = 0; way < 8; way++) {
    decisions = way, ndecisions = 0;
    memset(have, '#', sizeof have);
    if ((refusal = setjmp(refused)) == 0) got = m_sscanf(s, format, have[0], have[1], have[2], have[3]);
    if (refusal != 0 || (got == n && memcmp(have, want, sizeof have) == 0)) break;
  }
  if (refusal == 0 && (got != n || memcmp(have, want, sizeof have) != 0)) {
    char detail[300];
    snprintf(detail, sizeof detail, "\"%s\" of \"%s\" gives %d, the model %d%s", format, s, n, got, got == n ? ", and other values" : "");
    fail("sscanf", detail);
  }
  free(s);
}

static long left_out;
static void float_scans(void) {
  int m_sscanf(const char *, const char *, ...);
  char *s = number_text();
  double x = 0, y = 0, want = 7;
  float wantf = 7;
  volatile int n = sscanf(s, "%lf", &want), nf = sscanf(s, "%f", &wantf);
  bool ok = false;
  calls++;
  for (volatile unsigned way = 0; way < 16 && !ok; way++) {
    int refusal;
    decisions = way % 4;
    ndecisions = ndoubles = 0;
    double exact = strtod(s, NULL);
    bool narrow = way / 8;
    for (int k = 0; k < 4; k++) doubles[k] = fabs(narrow ? (k == 0 ? exact : wantf) : want);
    know = way / 4 % 2;
    x = 7;
    float xf = 7;
    if ((refusal = setjmp(refused)) == 0) {
      int got = m_sscanf(s, "%lf", &x);
      ok = got == n && (n <= 0 || same_double(x, want));
    }
    if (refusal == 2) {
      left_out++;
      free(s);
      return;
    }
    (void)xf, (void)nf;
  }
  if (!ok) {
    char detail[200];
    snprintf(detail, sizeof detail, "\"%s\" gives %d, %g; the model %g", s, n, want, x);
    fail("sscanf of a float", detail);
  }
  (void)y;
  free(s);
}

/* A stream with a text that both read; the model's bytes are the library's. */
struct model_file {
  int pushed;
  bool ended, failed;
};
static void streams(void) {
  struct model_file *m_fopen(const char *, const char *);
  int m_fgetc(struct model_file *), m_ungetc(int, struct model_file *), m_feof(struct model_file *), m_ferror(struct model_file *), m_fclose(struct model_file *);
  char *m_fgets(char *, int, struct model_file *);
  size_t m_fread(void *, size_t, size_t, struct model_file *);
  int m_fseek(struct model_file *, long, int);
  char content[40];
  size_t size = 1 + pick(38);
  for (size_t i = 0; i < size; i++) content[i] = "ab\nc\n"[pick(5)];
  FILE *f = fmemopen(content, size, "r");
  decisions = ndecisions = 0;
  struct model_file *m = m_fopen("x", "r");
  for (int k = 0; k < 6; k++) {
    char want[64], have[64];
    memset(want, '#', sizeof want);
    memset(have, '#', sizeof have);
    unsigned op = pick(5);
    int room = (int)pick(12);
    size_t of = 1 + pick(3), n = pick(9);
    long at = ftell(f);
    struct model_file before = *m;
    long long result = 0;
    switch (op) {
      case 0: result = fgetc(f); break;
      case 1: result = fgets(want, room, f) != NULL; break;
      case 2: result = (long long)fread(want, of, n, f); break;
      case 3: result = at == 0 || before.pushed >= 0 ? -1 : ungetc('z', f); break;
      default: result = fseek(f, at < 0 ? 0 : at, SEEK_SET);
    }
    if (op == 4 && before.pushed >= 0) {
      *m = before, m->pushed = -1;
    }
    calls++;
    bool ok = false;
    number = (long)result;
    bytes = (const unsigned char *)want;
    length = op == 1 ? (memchr(want, 0, sizeof want) ? strlen(want) : 1) : 0;
    if (op == 2) {
      length = 0;
      while (length < sizeof want && want[length] != '#') length++;
    }
    if (number < 0) number = 5;
    for (volatile unsigned way = 0; way < 16 && !ok; way++) {
      *m = before;
      decisions = way, ndecisions = 0;
      memset(have, '#', sizeof have);
      if (setjmp(refused) == 0) {
        long long got = 0;
        switch (op) {
          case 0: got = m_fgetc(m); break;
          case 1: got = m_fgets(have, room, m) != NULL; break;
          case 2: got = (long long)m_fread(have, of, n, m); break;
          case 3: got = at == 0 || before.pushed >= 0 ? -1 : m_ungetc('z', m); break;
          default: got = m_fseek(m, at, SEEK_SET);
        }
        ok = got == result && (m_feof(m) != 0) == (feof(f) != 0) && (m_ferror(m) != 0) == (ferror(f) != 0) &&
             (op == 1 && result == 0 ? true : memcmp(have, want, sizeof have) == 0);
      }
    }
    bytes = NULL;
    if (!ok) {
      char detail[100];
      snprintf(detail, sizeof detail, "operation %u, room %d, %zu times %zu, result %lld, end %d", op, room, n, of, result, feof(f));
      fail("a stream", detail);
      break;
    }
  }
  fclose(f);
  decisions = ndecisions = 0;
  m_fclose(m);
}

static void dates(void) {
  struct tm *m_gmtime(const time_t *);
  double m_difftime(time_t, time_t);
  time_t t = (time_t)(bits64() >> (8 + pick(40))), u = (time_t)(bits64() >> pick(64));
  calls++;
  struct tm *want = gmtime(&t);
  if (want != NULL) {
    bytes = (const unsigned char *)want;
    decisions = ndecisions = 0;
    if (setjmp(refused) != 0 || m_gmtime(&t)->tm_year != want->tm_year) fail("gmtime", "a date");
    bytes = NULL;
  }
  if (m_difftime(t, u) != difftime(t, u)) fail("difftime", "a difference");
  char *m_strerror(int), *message = strerror((int)pick(200));
  char padded[64] = "";
  strncpy(padded, message, 63);
  bytes = (const unsigned char *)padded;
  if (setjmp(refused) != 0 || strcmp(m_strerror(3), padded) != 0 || strlen(message) > 63) fail("strerror", message);
  bytes = NULL;
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 20000;
  for (long i = 0; i < rounds; i++) {
    mathematics();
    exact_mathematics();
    complex_mathematics();
    floats();
    formats();
    star_and_float_formats();
    scans();
    float_scans();
    if (i % 4 == 0) streams();
    if (i % 16 == 0) dates();
  }
  printf("%ld calls, %d differences\n", calls, failures);
  return failures != 0;
}
