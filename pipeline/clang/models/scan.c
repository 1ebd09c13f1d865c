/*
 * sscanf and its like (<stdio.h>). From a string everything is exact, floats as in strtod. From a stream, whose text is
 * arbitrary, each conversion may be the first that fails, and gives any value of its type.
 */
enum { SCAN_INT, SCAN_LONG, SCAN_LONG_LONG, SCAN_SIZE, SCAN_SHORT, SCAN_CHAR, SCAN_LONG_DOUBLE };

static void store_integer(void *to, int length, unsigned long long v) {
  switch (length) {
    case SCAN_LONG: *(unsigned long *)to = (unsigned long)v; break;
    case SCAN_LONG_LONG: *(unsigned long long *)to = v; break;
    case SCAN_SIZE: *(size_t *)to = (size_t)v; break;
    case SCAN_SHORT: *(unsigned short *)to = (unsigned short)v; break;
    case SCAN_CHAR: *(unsigned char *)to = (unsigned char)v; break;
    default: *(unsigned *)to = (unsigned)v;
  }
}

/* The set of %[...], of which format points behind the bracket; *end gets what lies behind it. */
static bool in_set(const char *set, const char *end, unsigned char c) {
  bool not = *set == '^', in = false;
  if (not) set++;
  for (const char *s = set; s < end; s++) {
    if (s > set && *s == '-' && s + 1 < end) {
      in = in || ((unsigned char)s[-1] <= c && c <= (unsigned char)s[1]);
      s++;
    } else {
      in = in || (unsigned char)*s == c;
    }
  }
  return in != not;
}

static const char *end_of_set(const char *set) {
  if (*set == '^') set++;
  if (*set == ']') set++;
  while (*set != ']' && *set != 0) set++;
  return set;
}

/* Digits of an integer, a sign and a prefix in front of them: how many of the first width bytes belong to it, 0 for
   none. */
struct scanned {
  size_t len, prefix; /* prefix: of a sign and 0x */
  bool negative, over;
  unsigned long long value;
};

static struct scanned scan_integer(const char *s, size_t width, int base, bool binary) {
  struct scanned r = {0, 0, false, false, 0};
  size_t i = 0;
  if (i < width && (s[i] == '+' || s[i] == '-')) r.negative = s[i++] == '-';
  if ((base == 0 || base == 16) && i + 1 < width && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X')) {
    r.prefix = i += 2;
    base = 16;
  } else if (binary && (base == 0 || base == 2) && i + 1 < width && s[i] == '0' &&
             (s[i + 1] == 'b' || s[i + 1] == 'B')) {
    r.prefix = i += 2;
    base = 2;
  } else if (base == 0) {
    base = i < width && s[i] == '0' ? 8 : 10;
  }
  for (; i < width; i++) {
    int d = digit_of(s[i]);
    if (d >= base) break;
    if (r.value > (ULLONG_MAX - (unsigned)d) / (unsigned)base) r.over = true;
    r.value = r.value * (unsigned)base + (unsigned)d;
    r.len = i + 1;
  }
  return r;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static unsigned long long any_number(void) {
  unsigned long long v;
  memhavoc(&v, sizeof v);
  return v;
}

/* s: the text, NULL for a stream. */
static int scan(const char *s, const char *format, arguments args, bool binary) {
  const char *start = s;
  int done = 0;
  for (; *format != 0; format++) {
    if (is_space(*format)) {
      if (start != NULL)
        while (is_space(*s)) s++;
      continue;
    }
    if (*format != '%') {
      if (start == NULL) {
        if (nd_bool()) return done == 0 && nd_bool() ? -1 : done;
        continue;
      }
      if (*s == 0) return done == 0 ? -1 : done;
      if (*s != *format) return done;
      s++;
      continue;
    }
    format++;
    bool skip = *format == '*', allocates = false;
    if (skip) format++;
    size_t width = 0;
    for (; *format >= '0' && *format <= '9'; format++) width = 10 * width + (size_t)(*format - '0');
    if (width == 0) width = (size_t)-1;
    if (*format == 'm') {
      allocates = true;
      format++;
    }
    int length = SCAN_INT;
    for (;; format++) {
      if (*format == 'h') length = length == SCAN_SHORT ? SCAN_CHAR : SCAN_SHORT;
      else if (*format == 'l') length = length == SCAN_LONG ? SCAN_LONG_LONG : SCAN_LONG;
      else if (*format == 'j' || *format == 'q') length = SCAN_LONG_LONG;
      else if (*format == 'z' || *format == 't') length = SCAN_SIZE;
      else if (*format == 'L') length = SCAN_LONG_DOUBLE;
      else break;
    }
    char letter = *format;
    bool wide = length == SCAN_LONG_DOUBLE || ((length == SCAN_LONG_LONG || length == SCAN_SIZE) && letter != 'd');
    if (allocates || (wide && letter >= 'a' && letter <= 'g')) unitproof_other_conversion();
    if (letter != 'c' && letter != '[' && letter != 'n' && start != NULL)
      while (is_space(*s)) s++;
    if (letter == 'n') {
      if (!skip)
        store_integer(__builtin_va_arg(args, void *), length,
                      start != NULL ? (unsigned long long)(s - start) : any_number() >> 33);
      continue;
    }
    if (letter == '%') {
      if (start == NULL) {
        if (nd_bool()) return done == 0 && nd_bool() ? -1 : done;
        continue;
      }
      if (*s == 0) return done == 0 ? -1 : done;
      if (*s != '%') return done;
      s++;
      continue;
    }
    if (start == NULL) {
      if (nd_bool()) return done == 0 && nd_bool() ? -1 : done;
    } else if (*s == 0) {
      return done == 0 ? -1 : done;
    }
    void *to = skip ? NULL : __builtin_va_arg(args, void *);
    switch (letter) {
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        if (start == NULL) {
          if (!skip) store_integer(to, length, any_number());
          break;
        }
        int base = letter == 'i' ? 0 : letter == 'o' ? 8 : letter == 'd' || letter == 'u' ? 10 : 16;
        struct scanned r = scan_integer(s, width, base, binary);
        /* A prefix without a digit is no number in C, and 0 in many versions of glibc. */
        if (r.len == 0 && r.prefix > 0 && nd_bool()) r.len = r.prefix;
        if (r.len == 0) return done;
        s += r.len;
        unsigned long long v = r.negative ? 0 - r.value : r.value;
        unsigned long long most = length == SCAN_LONG_LONG ? ULLONG_MAX : ULONG_MAX; /* glibc reads a long */
        if (letter == 'd' || letter == 'i') {
          unsigned long long limit = (most >> 1) + r.negative;
          if (r.over || r.value > limit) v = r.negative ? 0 - limit : limit; /* glibc: as strtol */
        } else if (r.over || r.value > most) {
          v = most;
        }
        if (!skip) store_integer(to, length, v);
        break;
      }
      case 'c': {
        size_t n = width == (size_t)-1 ? 1 : width;
        if (length != SCAN_INT) unitproof_other_conversion();
        if (start == NULL) {
          if (!skip) memhavoc(to, n);
          break;
        }
        size_t have = strnlen(s, n);
        if (!skip) __builtin_memcpy(to, s, have);
        s += have;
        break;
      }
      case 's':
      case '[': {
        if (length != SCAN_INT) unitproof_other_conversion();
        const char *set = format + 1, *end = letter == '[' ? end_of_set(set) : set;
        if (letter == '[') format = *end == 0 ? end - 1 : end;
        size_t n = 0;
        if (start == NULL) {
          n = any_length(1, width == (size_t)-1 ? (size_t)-1 >> 1 : width);
          if (!skip) memhavoc(to, n);
        } else {
          while (n < width && s[n] != 0 &&
                 (letter == 's' ? !is_space(s[n]) : in_set(set, end, (unsigned char)s[n])))
            n++;
          if (n == 0) return done;
          if (!skip) __builtin_memcpy(to, s, n);
          s += n;
        }
        if (!skip) ((char *)to)[n] = 0;
        break;
      }
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A': {
        double x;
        if (start == NULL) {
          unsigned long long bits = any_number();
          __builtin_memcpy(&x, &bits, sizeof x);
        } else {
          struct number r = read_number(s);
          size_t len = r.end == NULL ? 0 : (size_t)(r.end - s);
          /* What the library has read and then found to be no number, as "1e" or "infi", and what a width cuts. */
          if (len > width ||
              (r.end != NULL && !r.nan && !r.infinite &&
               (*r.end == 'e' || *r.end == 'E' || *r.end == 'p' || *r.end == 'P')) ||
              ((*s | 0x20) == 'i' || (*s | 0x20) == 'n' ||
               ((*s == '+' || *s == '-') && ((s[1] | 0x20) == 'i' || (s[1] | 0x20) == 'n'))) ||
              (r.end != NULL && r.end[-1] == '0' && (*r.end == 'x' || *r.end == 'X')))
            unitproof_other_conversion();
          if (len == 0) return done;
          if (length == SCAN_LONG || skip) {
            x = value_of(&r);
            x = r.negative ? -x : x;
          } else {
            x = to_float(s, NULL);
          }
          s += len;
        }
        if (!skip) {
          if (length == SCAN_LONG) *(double *)to = x;
          else *(float *)to = (float)x;
        }
        break;
      }
      case 'p':
        if (!skip) *(uintptr_t *)to = (uintptr_t)any_number();
        if (start != NULL) unitproof_other_conversion();
        break;
      default: unitproof_other_conversion();
    }
    if (!skip) done++;
  }
  return done;
}

int vsscanf(const char *restrict s, const char *restrict format, arguments args) {
  return scan(s, format, args, false);
}
int __isoc99_vsscanf(const char *restrict s, const char *restrict format, arguments args) {
  return scan(s, format, args, false);
}
int __mingw_vsscanf(const char *restrict s, const char *restrict format, arguments args) {
  return scan(s, format, args, false);
}
int __isoc23_vsscanf(const char *restrict s, const char *restrict format, arguments args) {
  return scan(s, format, args, true);
}

int sscanf(const char *restrict s, const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = scan(s, format, args, false);
  __builtin_va_end(args);
  return n;
}

/* What newer headers call instead. */
int __isoc99_sscanf(const char *restrict s, const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = scan(s, format, args, false);
  __builtin_va_end(args);
  return n;
}
int __isoc23_sscanf(const char *restrict s, const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = scan(s, format, args, true);
  __builtin_va_end(args);
  return n;
}
