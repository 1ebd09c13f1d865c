/* Compares the models of libc functions (m_*) with the C library. Prints the first difference. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static uint64_t seed = 1;
static unsigned pick(unsigned n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(seed >> 33) % n;
}

bool nd_bool(void) { return pick(2); }
void unitproof_reads(const void *p, size_t n) { for (size_t i = 0; i < n; i++) (void)((const volatile char *)p)[i]; }
static int overlaps;
bool unitproof_scans(void) { return false; }
size_t unitproof_find(const void *s, size_t n, unsigned char c, bool zero) { abort(); }
size_t unitproof_find_last(const void *s, size_t n, unsigned char c) { abort(); }
size_t unitproof_differ(const void *a, const void *b, size_t n, bool zero) { abort(); }
void unitproof_other_conversion(void) { abort(); }
void memhavoc(void *p, size_t n) { memset(p, 'x', n); }
void unitproof_apart(const void *a, size_t n, const void *b, size_t m) {
  overlaps += (uintptr_t)a - (uintptr_t)b < m || (uintptr_t)b - (uintptr_t)a < n;
}
int nd_int(void) { return (int)pick(1000); }
unsigned nd_uint(void) { return pick(1000); }
bool unitproof_known(unsigned long long v) { return true; }
int unitproof_any_int(void) { return 0; }
void unitproof_set_rounding(int *mode, int to) { *mode = to; }
double unitproof_any_double(void) { return 0; }
long nd_long(void) { return pick(1000); }
size_t nd_size_t(void) { return pick(10); }
int nd_argc(void) { return (int)pick(4); }

/* What is assumed is made true by another choice. */
static jmp_buf again;
void assume(bool c) {
  if (!c) longjmp(again, 1);
}

int *m___errno_location(void);
const unsigned short **m___ctype_b_loc(void);
const int **m___ctype_tolower_loc(void);
const int **m___ctype_toupper_loc(void);

static int failures;
static void same(const char *what, long long model, long long library) {
  if (model != library && failures++ < 10) printf("%s: the model gives %lld, the library %lld\n", what, model, library);
}
#define SAME(what, model, library) same(what, (long long)(model), (long long)(library))
static int sign(int x) { return (x > 0) - (x < 0); }

static const char *const alphabets[] = {"ab", "aAbB\xe9", "a,;", "0123456789", " +-0x1fFzZ", "79x-"};

/* A string of its own allocation, so that a byte too far is seen. */
static char *text(unsigned max) {
  const char *from = alphabets[pick(6)];
  unsigned n = pick(max + 1), m = (unsigned)strlen(from);
  char *s = malloc(n + 1);
  for (unsigned i = 0; i < n; i++) s[i] = from[pick(m)];
  s[n] = 0;
  return s;
}

#define DECLARE(type, name, params) type m_##name params;
DECLARE(size_t, strlen, (const char *))
DECLARE(size_t, strnlen, (const char *, size_t))
DECLARE(int, strcmp, (const char *, const char *))
DECLARE(int, strncmp, (const char *, const char *, size_t))
DECLARE(int, strcoll, (const char *, const char *))
DECLARE(int, strcasecmp, (const char *, const char *))
DECLARE(int, strncasecmp, (const char *, const char *, size_t))
DECLARE(char *, strchr, (const char *, int))
DECLARE(char *, strchrnul, (const char *, int))
DECLARE(char *, strrchr, (const char *, int))
DECLARE(char *, index, (const char *, int))
DECLARE(char *, rindex, (const char *, int))
DECLARE(char *, strstr, (const char *, const char *))
DECLARE(size_t, strspn, (const char *, const char *))
DECLARE(size_t, strcspn, (const char *, const char *))
DECLARE(char *, strpbrk, (const char *, const char *))
DECLARE(char *, strtok, (char *, const char *))
DECLARE(char *, strtok_r, (char *, const char *, char **))
DECLARE(char *, strsep, (char **, const char *))
DECLARE(char *, strdup, (const char *))
DECLARE(char *, strndup, (const char *, size_t))
DECLARE(char *, strcpy, (char *, const char *))
DECLARE(char *, stpcpy, (char *, const char *))
DECLARE(char *, strncpy, (char *, const char *, size_t))
DECLARE(char *, stpncpy, (char *, const char *, size_t))
DECLARE(char *, strcat, (char *, const char *))
DECLARE(char *, strncat, (char *, const char *, size_t))
DECLARE(int, memcmp, (const void *, const void *, size_t))
DECLARE(int, bcmp, (const void *, const void *, size_t))
DECLARE(void *, memchr, (const void *, int, size_t))
DECLARE(void *, memrchr, (const void *, int, size_t))
DECLARE(void *, rawmemchr, (const void *, int))
DECLARE(void *, memccpy, (void *, const void *, int, size_t))
DECLARE(void *, memmem, (const void *, size_t, const void *, size_t))
DECLARE(void, bzero, (void *, size_t))
DECLARE(void, bcopy, (const void *, void *, size_t))
DECLARE(long, strtol, (const char *, char **, int))
DECLARE(long long, strtoll, (const char *, char **, int))
DECLARE(unsigned long, strtoul, (const char *, char **, int))
DECLARE(unsigned long long, strtoull, (const char *, char **, int))
DECLARE(intmax_t, strtoimax, (const char *, char **, int))
DECLARE(uintmax_t, strtoumax, (const char *, char **, int))
DECLARE(long, __isoc23_strtol, (const char *, char **, int))
DECLARE(unsigned long, __isoc23_strtoul, (const char *, char **, int))
DECLARE(int, atoi, (const char *))
DECLARE(long, atol, (const char *))
DECLARE(long long, atoll, (const char *))
DECLARE(void, qsort, (void *, size_t, size_t, int (*)(const void *, const void *)))
DECLARE(void *, bsearch, (const void *, const void *, size_t, size_t, int (*)(const void *, const void *)))
DECLARE(int, abs, (int))
DECLARE(long, labs, (long))
DECLARE(long long, llabs, (long long))
DECLARE(div_t, div, (int, int))
DECLARE(ldiv_t, ldiv, (long, long))
DECLARE(lldiv_t, lldiv, (long long, long long))
DECLARE(int, rand, (void))

static void strings(void) {
  char *a = text(7), *b = text(pick(2) ? 2 : 7);
  int c = pick(3) ? a[pick((unsigned)strlen(a) + 1)] : (int)pick(300);
  size_t n = pick(10);
  SAME("strlen", m_strlen(a), strlen(a));
  SAME("strnlen", m_strnlen(a, n), strnlen(a, n));
  SAME("strcmp", sign(m_strcmp(a, b)), sign(strcmp(a, b)));
  SAME("strcoll", sign(m_strcoll(a, b)), sign(strcoll(a, b)));
  SAME("strncmp", sign(m_strncmp(a, b, n)), sign(strncmp(a, b, n)));
  SAME("strcasecmp", sign(m_strcasecmp(a, b)), sign(strcasecmp(a, b)));
  SAME("strncasecmp", sign(m_strncasecmp(a, b, n)), sign(strncasecmp(a, b, n)));
  SAME("strchr", m_strchr(a, c), strchr(a, c));
  SAME("strchrnul", m_strchrnul(a, c), strchrnul(a, c));
  SAME("strrchr", m_strrchr(a, c), strrchr(a, c));
  SAME("index", m_index(a, c), index(a, c));
  SAME("rindex", m_rindex(a, c), rindex(a, c));
  SAME("strstr", m_strstr(a, b), strstr(a, b));
  SAME("strspn", m_strspn(a, b), strspn(a, b));
  SAME("strcspn", m_strcspn(a, b), strcspn(a, b));
  SAME("strpbrk", m_strpbrk(a, b), strpbrk(a, b));
  size_t la = strlen(a) + 1, lb = strlen(b) + 1, min = la < lb ? la : lb;
  size_t k = n < min ? n : min;
  SAME("memcmp", sign(m_memcmp(a, b, k)), sign(memcmp(a, b, k)));
  SAME("bcmp", m_bcmp(a, b, k) != 0, bcmp(a, b, k) != 0);
  SAME("memchr", m_memchr(a, c, la), memchr(a, c, la));
  SAME("memrchr", m_memrchr(a, c, la), memrchr(a, c, la));
  SAME("rawmemchr", m_rawmemchr(a, 0), rawmemchr(a, 0));
  SAME("memmem", m_memmem(a, la - 1, b, lb - 1), memmem(a, la - 1, b, lb - 1));
  char *d = m_strdup(a), *e = m_strndup(a, n);
  SAME("strdup", strcmp(d, a), 0);
  SAME("strndup", strncmp(e, a, n) == 0 && strlen(e) == strnlen(a, n), 1);
  free(d);
  free(e);
  free(a);
  free(b);
}

/* Copies towards the front of an array, where the bytes read are not overwritten before. */
static void overlapping(const char *a, size_t n) {
  char x[32];
  size_t d = pick(9), len = strlen(a), some = strnlen(a, n);
#define APART(name, call, written, read)                         \
  memset(x, 0, sizeof x);                                        \
  strcpy(x + d, a);                                              \
  overlaps = 0;                                                  \
  call;                                                          \
  SAME(name " overlaps", overlaps, (read) > d || (written) > d);
  if (d == 0 && len > 0) return;
  APART("strcpy", m_strcpy(x, x + d), len + 1, len + 1)
  APART("stpcpy", m_stpcpy(x, x + d), len + 1, len + 1)
  APART("strncpy", m_strncpy(x, x + d, n), n, n < len + 1 ? n : len + 1)
  if (d == 0) return;
  APART("strcat", m_strcat(x, x + d), len + 1, 0)
  APART("strncat", m_strncat(x, x + d, n), some + 1, 0)
  APART("memccpy", m_memccpy(x, x + d, 0, n), n < len + 1 ? n : len + 1, 0)
}

static void copies(void) {
  char x[32], y[32];
  char *a = text(7), *b = text(7);
  size_t n = pick(10);
  overlapping(a, n);
  overlaps = 0;
#define BOTH(name, call_model, call_library)   \
  memset(x, '#', sizeof x);                    \
  memset(y, '#', sizeof y);                    \
  strcpy(x, b);                                \
  strcpy(y, b);                                \
  SAME(name, (char *)(call_model) - x, (char *)(call_library) - y); \
  SAME(name " content", memcmp(x, y, sizeof x), 0);
  BOTH("strcpy", m_strcpy(x, a), strcpy(y, a))
  BOTH("stpcpy", m_stpcpy(x, a), stpcpy(y, a))
  BOTH("strncpy", m_strncpy(x, a, n), strncpy(y, a, n))
  BOTH("stpncpy", m_stpncpy(x, a, n), stpncpy(y, a, n))
  BOTH("strcat", m_strcat(x, a), strcat(y, a))
  BOTH("strncat", m_strncat(x, a, n), strncat(y, a, n))
  BOTH("bzero", (m_bzero(x, n), x), (bzero(y, n), y))
  BOTH("bcopy", (m_bcopy(x, x + 2, n), x), (bcopy(y, y + 2, n), y))
  SAME("what does not overlap", overlaps, 0);
  char *p = m_memccpy(x, a, a[0], strlen(a) + 1), *q = memccpy(y, a, a[0], strlen(a) + 1);
  SAME("memccpy", p ? p - x : -1, q ? q - y : -1);
  char *s = strdup(a), *t = strdup(a), *more_s = NULL, *more_t = NULL;
  char *u = m_strtok_r(s, b, &more_s), *v = strtok_r(t, b, &more_t);
  for (int i = 0; i < 9; i++) {
    SAME("strtok_r", u ? u - s : -1, v ? v - t : -1);
    if (u == NULL || v == NULL) break;
    u = m_strtok_r(NULL, b, &more_s), v = strtok_r(NULL, b, &more_t);
  }
  SAME("strtok_r content", memcmp(s, t, strlen(a) + 1), 0);
  strcpy(s, a), strcpy(t, a);
  u = m_strtok(s, ","), v = strtok(t, ",");
  while (u && v) {
    SAME("strtok", u - s, v - t);
    u = m_strtok(NULL, ","), v = strtok(NULL, ",");
  }
  SAME("strtok end", u == NULL, v == NULL);
  strcpy(s, a), strcpy(t, a);
  char *rs = s, *rt = t;
  while (rs && rt) SAME("strsep", m_strsep(&rs, b) - s, strsep(&rt, b) - t);
  SAME("strsep end", rs == NULL, rt == NULL);
  SAME("strsep content", memcmp(s, t, strlen(a) + 1), 0);
  free(s), free(t), free(a), free(b);
}

static void numbers(void) {
  static const char *const edges[] = {"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
                                      "18446744073709551616", "-18446744073709551615", "-18446744073709551616", "0x7fffffffffffffff", "0xffffffffffffffffff", "0x", "-0x",
                                      "0xg", "  \t\n\v\f\r+12", "+-1", "-", "", "08", "0779", "zz", "1e5", "99999999999999999999999999", " -0X8000000000000000z"};
  static const int bases[] = {0, 10, 16, 8, 2, 36, 7, 1, -1, 37};
  char *s = pick(2) ? text(20) : strdup(edges[pick(sizeof edges / sizeof *edges)]);
  int base = bases[pick(10)];
#define PARSE(name)                                          \
  {                                                          \
    char *x = "unset", *y = "unset";                         \
    const char *unset = x;                                   \
    y = x;                                                   \
    *m___errno_location() = errno = 0;                       \
    SAME(#name, m_##name(s, &x, base), name(s, &y, base));   \
    SAME(#name " errno", *m___errno_location(), errno);      \
    SAME(#name " end", x == unset ? -1 : x - s, y == unset ? -1 : y - s); \
    SAME(#name " without end", m_##name(s, NULL, base), name(s, NULL, base)); \
  }
  PARSE(strtol)
  PARSE(strtoll)
  PARSE(strtoul)
  PARSE(strtoull)
  if (base >= 0 && base != 1 && base <= 36) { /* else AddressSanitizer's own do not leave *end alone */
    PARSE(strtoimax)
    PARSE(strtoumax)
  }
  SAME("atol", m_atol(s), atol(s));
  SAME("atoll", m_atoll(s), atoll(s));
  SAME("atoi", m_atoi(s), atoi(s));
  free(s);
  int a = (int)pick(200) - 100, b = (int)pick(20) - 10;
  SAME("abs", m_abs(a), abs(a));
  SAME("labs", m_labs(a), labs(a));
  SAME("llabs", m_llabs(a), llabs(a));
  if (b == 0) return;
  SAME("div", m_div(a, b).quot * 1000 + m_div(a, b).rem, div(a, b).quot * 1000 + div(a, b).rem);
  SAME("ldiv", m_ldiv(a, b).quot * 1000 + m_ldiv(a, b).rem, ldiv(a, b).quot * 1000 + ldiv(a, b).rem);
  SAME("lldiv", m_lldiv(a, b).quot * 1000 + m_lldiv(a, b).rem, lldiv(a, b).quot * 1000 + lldiv(a, b).rem);
}

/* C23 reads 0b as the prefix of base 2; the library here may be older. */
static void binary(void) {
  static const struct {
    const char *text;
    int base;
    long value, end;
  } cases[] = {{"0b101", 0, 5, 5}, {"0B11z", 2, 3, 4}, {" -0b1", 0, -1, 5}, {"0b", 0, 0, 1}, {"0b2", 2, 0, 1}, {"0b1", 10, 0, 1}, {"0b1", 16, 177, 3}, {"0x1f", 0, 31, 4}, {"017", 0, 15, 3}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *end;
    SAME("__isoc23_strtol", m___isoc23_strtol(cases[i].text, &end, cases[i].base), cases[i].value);
    SAME("__isoc23_strtol end", end - cases[i].text, cases[i].end);
    SAME("__isoc23_strtoul", m___isoc23_strtoul(cases[i].text, &end, cases[i].base), (unsigned long)cases[i].value);
    SAME("strtol and 0b", cases[i].base != 16 && cases[i].text[1] == 'b' ? m_strtol(cases[i].text, &end, cases[i].base) : 0, 0);
  }
}

struct item {
  char key;
  short order;
};
static int by_key(const void *a, const void *b) { return ((const struct item *)a)->key - ((const struct item *)b)->key; }
static int confused(const void *a, const void *b) { return (int)pick(3) - 1; }

static int others; /* elements found that are not those that the library finds */

static void arrays(void) {
  unsigned n = pick(9);
  struct item *x = malloc(n * sizeof *x + 1);
  memset(x, 0, n * sizeof *x);
  int sum = 0;
  for (unsigned i = 0; i < n; i++) x[i].key = (char)pick(5), x[i].order = (short)(1 << i), sum += 1 << i;
  m_qsort(x, n, sizeof *x, pick(4) ? by_key : confused);
  for (unsigned i = 0; i < n; i++) sum -= x[i].order;
  SAME("qsort is a permutation", sum, 0);
  m_qsort(x, n, sizeof *x, by_key);
  for (unsigned i = 1; i < n; i++) SAME("qsort sorts", x[i - 1].key <= x[i].key, 1);
  struct item key = {(char)pick(5), 0};
  setjmp(again);
  struct item *found = m_bsearch(&key, x, n, sizeof *x, by_key), *first = bsearch(&key, x, n, sizeof *x, by_key);
  SAME("bsearch", found != NULL, first != NULL);
  if (found != NULL && first != NULL) {
    SAME("bsearch finds", found >= x && found < x + n && found->key == key.key, 1);
    others += found != first;
  }
  setjmp(again);
  m_bsearch(&key, x, n, sizeof *x, confused);
  free(x);
}

static void characters(void) {
#define CLASS(name)                      \
  int m_##name(int);                     \
  for (int c = -1; c < 256; c++) SAME(#name, m_##name(c) != 0, name(c) != 0);
  CLASS(isalnum)
  CLASS(isalpha)
  CLASS(isblank)
  CLASS(iscntrl)
  CLASS(isdigit)
  CLASS(isgraph)
  CLASS(islower)
  CLASS(isprint)
  CLASS(ispunct)
  CLASS(isspace)
  CLASS(isupper)
  CLASS(isxdigit)
  CLASS(isascii)
  int m_tolower(int), m_toupper(int), m_toascii(int);
  for (int c = -1; c < 256; c++) {
    SAME("tolower", m_tolower(c), tolower(c));
    SAME("toupper", m_toupper(c), toupper(c));
    SAME("toascii", m_toascii(c), toascii(c));
  }
  for (int c = -128; c < 256; c++) {
    SAME("__ctype_b_loc", (*m___ctype_b_loc())[c], (*__ctype_b_loc())[c]);
    SAME("__ctype_tolower_loc", (*m___ctype_tolower_loc())[c], (*__ctype_tolower_loc())[c]);
    SAME("__ctype_toupper_loc", (*m___ctype_toupper_loc())[c], (*__ctype_toupper_loc())[c]);
  }
}

int main(int argc, char **argv) {
  characters();
  binary();
  for (long i = 0, rounds = argc > 1 ? atol(argv[1]) : 8000; i < rounds; i++) {
    strings();
    copies();
    numbers();
    arrays();
  }
  for (int i = 0; i < 100; i++) {
    SAME("rand", m_rand() >= 0, 1);
  }
  SAME("bsearch finds others, too", others > 0, 1);
  return failures != 0;
}
