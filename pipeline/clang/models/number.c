/*
 * Strings to integers (<stdlib.h>, <inttypes.h>), as C says and with what it leaves open as glibc
 * has it: a base that does not exist sets EINVAL and leaves *end alone.
 */
struct digits {
  const char *end; /* after the last digit; NULL when there is none */
  unsigned long long value;
  bool negative, over; /* over: the value does not fit the type of value */
};

/* binary: whether 0b begins a number of base 2, as C23 has it. */
static struct digits read_digits(const char *s, int base, bool binary) {
  struct digits r = {NULL, 0, false, false};
  while (*s == ' ' || (*s >= '\t' && *s <= '\r')) s++;
  if (*s == '+' || *s == '-') r.negative = *s++ == '-';
  if ((base == 0 || base == 16) && *s == '0' && (s[1] == 'x' || s[1] == 'X')) {
    r.end = s + 1; /* should no digit follow, the number is the zero */
    s += 2;
    base = 16;
  } else if (binary && (base == 0 || base == 2) && *s == '0' && (s[1] == 'b' || s[1] == 'B')) {
    r.end = s + 1;
    s += 2;
    base = 2;
  } else if (base == 0) {
    base = *s == '0' ? 8 : 10;
  }
  for (;; s++) {
    int d = *s >= '0' && *s <= '9'   ? *s - '0'
            : *s >= 'a' && *s <= 'z' ? *s - 'a' + 10
            : *s >= 'A' && *s <= 'Z' ? *s - 'A' + 10
                                     : 36;
    if (d >= base) return r;
    if (r.value > (ULLONG_MAX - (unsigned)d) / (unsigned)base) r.over = true;
    r.value = r.value * (unsigned)base + (unsigned)d;
    r.end = s + 1;
  }
}

static bool bad_base(int base) {
  if (base != 1 && base >= 0 && base <= 36) return false;
  errno = EINVAL;
  return true;
}

static long long to_signed(const char *s, char **end, int base, bool binary, long long min, long long max) {
  if (bad_base(base)) return 0;
  struct digits r = read_digits(s, base, binary);
  if (end != NULL) *end = (char *)(r.end != NULL ? r.end : s);
  unsigned long long limit = r.negative ? (unsigned long long)max + 1 : (unsigned long long)max;
  if (r.over || r.value > limit) {
    errno = ERANGE;
    return r.negative ? min : max;
  }
  return r.negative ? (long long)(0 - r.value) : (long long)r.value;
}

/* A minus sign negates in the unsigned type: strtoul("-1") is ULONG_MAX, and no error. */
static unsigned long long to_unsigned(const char *s, char **end, int base, bool binary, unsigned long long max) {
  if (bad_base(base)) return 0;
  struct digits r = read_digits(s, base, binary);
  if (end != NULL) *end = (char *)(r.end != NULL ? r.end : s);
  if (r.over || r.value > max) {
    errno = ERANGE;
    return max;
  }
  return (r.negative ? 0 - r.value : r.value) & max;
}

long strtol(const char *restrict s, char **restrict end, int base) {
  return (long)to_signed(s, end, base, false, LONG_MIN, LONG_MAX);
}
long long strtoll(const char *restrict s, char **restrict end, int base) {
  return to_signed(s, end, base, false, LLONG_MIN, LLONG_MAX);
}
unsigned long strtoul(const char *restrict s, char **restrict end, int base) {
  return (unsigned long)to_unsigned(s, end, base, false, ULONG_MAX);
}
unsigned long long strtoull(const char *restrict s, char **restrict end, int base) {
  return to_unsigned(s, end, base, false, ULLONG_MAX);
}
intmax_t strtoimax(const char *restrict s, char **restrict end, int base) {
  return to_signed(s, end, base, false, INTMAX_MIN, INTMAX_MAX);
}
uintmax_t strtoumax(const char *restrict s, char **restrict end, int base) {
  return to_unsigned(s, end, base, false, UINTMAX_MAX);
}

/* What the headers of newer C libraries call instead where C23 or GNU extensions are asked for. */
long __isoc23_strtol(const char *restrict s, char **restrict end, int base) {
  return (long)to_signed(s, end, base, true, LONG_MIN, LONG_MAX);
}
long long __isoc23_strtoll(const char *restrict s, char **restrict end, int base) {
  return to_signed(s, end, base, true, LLONG_MIN, LLONG_MAX);
}
unsigned long __isoc23_strtoul(const char *restrict s, char **restrict end, int base) {
  return (unsigned long)to_unsigned(s, end, base, true, ULONG_MAX);
}
unsigned long long __isoc23_strtoull(const char *restrict s, char **restrict end, int base) {
  return to_unsigned(s, end, base, true, ULLONG_MAX);
}
intmax_t __isoc23_strtoimax(const char *restrict s, char **restrict end, int base) {
  return to_signed(s, end, base, true, INTMAX_MIN, INTMAX_MAX);
}
uintmax_t __isoc23_strtoumax(const char *restrict s, char **restrict end, int base) {
  return to_unsigned(s, end, base, true, UINTMAX_MAX);
}

int atoi(const char *s) { return (int)strtol(s, NULL, 10); }
long atol(const char *s) { return strtol(s, NULL, 10); }
long long atoll(const char *s) { return strtoll(s, NULL, 10); }
