/*
 * sprintf and its like. How much is written where, and what comes back, is exact for characters, strings and integers,
 * and bounded for floats and pointers; what stands there is exact for the text of the format, characters, strings and
 * integers, and for floats and pointers any text without an end. Each conversion is one case; those that are missing
 * make unknown what follows.
 */

typedef __builtin_va_list arguments;
enum { SHORT_TEXT = 24, LONG_TEXT = 512 };

/* What is being written: at most room bytes to to, of n so far. */
struct output {
  char *to;
  size_t room, n;
};

/* How many of the next len bytes are written. */
static size_t fitting(const struct output *o, size_t len) {
  if (o->n >= o->room) return 0;
  return len < o->room - o->n ? len : o->room - o->n;
}

static void put(struct output *o, const char *text, size_t len) {
  size_t k = fitting(o, len);
  if (k > 0) __builtin_memcpy(o->to + o->n, text, k);
  o->n += len;
}

static void put_spaces(struct output *o, size_t len) {
  size_t k = fitting(o, len);
  if (k > 0) __builtin_memset(o->to + o->n, ' ', k);
  o->n += len;
}

/* Any text of a length. */
static void put_any(struct output *o, size_t len) {
  if (len <= SHORT_TEXT) {
    char text[SHORT_TEXT];
    memhavoc(text, sizeof text);
    for (size_t i = 0; i < sizeof text; i++) assume(text[i] != 0);
    put(o, text, len);
  } else if (len <= LONG_TEXT) {
    char text[LONG_TEXT];
    memhavoc(text, sizeof text);
    for (size_t i = 0; i < sizeof text; i++) assume(text[i] != 0);
    put(o, text, len);
  } else {
    unitproof_other_conversion();
  }
}

static size_t digits_of(unsigned long long v, unsigned base) {
  size_t n = 1;
  unsigned long long limit = base;
  while (v >= limit) {
    n++;
    if (limit > ULLONG_MAX / base) break;
    limit *= base;
  }
  return n;
}

static size_t any_length(size_t min, size_t max) {
  size_t n = nd_size_t();
  assume(min <= n && n <= max);
  return n;
}

/* A conversion: what stands between % and its letter. */
struct conversion {
  bool left, plus, space, other, zero; /* - + space # 0 */
  size_t width;
  long precision; /* -1: none */
  int length;     /* 0: int, 1: long, -1: short, -2: char, 2: long double, 3: long long, 4: size_t */
};

static void put_number(struct output *o, const struct conversion *c, size_t len) {
  if (c->zero && !c->left && len < c->width) len = c->width;
  size_t spaces = len < c->width ? c->width - len : 0;
  if (!c->left) put_spaces(o, spaces);
  put_any(o, len);
  if (c->left) put_spaces(o, spaces);
}

static void put_zeros(struct output *o, size_t len) {
  size_t k = fitting(o, len);
  if (k > 0) __builtin_memset(o->to + o->n, '0', k);
  o->n += len;
}

/* The digits of v at the end of text, which has room for MOST_DIGITS. */
enum { MOST_DIGITS = 22 };

static void write_digits(char *text, unsigned long long v, unsigned base, bool upper) {
  if (base != 10) {
    unsigned shift = base == 8 ? 3 : 4;
    for (int i = MOST_DIGITS - 1; i >= 0; i--, v >>= shift) {
      unsigned d = (unsigned)(v & (base - 1));
      text[i] = (char)(d < 10 ? '0' + d : (upper ? 'A' : 'a') + d - 10);
    }
  } else if (unitproof_known(v)) {
    for (int i = MOST_DIGITS - 1; i >= 0; i--, v /= 10) text[i] = (char)('0' + v % 10);
  } else {
    /* Division is hard on solvers: digits are guessed, and only those that v is made of are right. */
    unsigned long long sum = 0;
    int first = v >> 32 == 0 ? MOST_DIGITS - 10 : MOST_DIGITS - 20;
    for (int i = 0; i < MOST_DIGITS; i++) {
      unsigned d = 0;
      if (i >= first) {
        d = nd_uint();
        assume(d <= 9);
        if (i == MOST_DIGITS - 1) assume(sum < ULLONG_MAX / 10 || (sum == ULLONG_MAX / 10 && d <= 5));
        sum = 10 * sum + d;
      }
      text[i] = (char)('0' + d);
    }
    assume(sum == v);
  }
}

static void put_integer(struct output *o, const struct conversion *c, unsigned long long v, bool negative,
                        bool is_signed, unsigned base, bool upper) {
  size_t digits = c->precision == 0 && v == 0 ? 0 : digits_of(v, base), len = digits;
  if (c->other && base == 8 && !(v == 0 && c->precision != 0)) len++;
  if (c->precision >= 0 && len < (size_t)c->precision) len = (size_t)c->precision;
  size_t zeros = len - digits;
  char sign = negative ? '-' : !is_signed ? 0 : c->plus ? '+' : c->space ? ' ' : 0;
  bool prefix = c->other && base == 16 && v != 0;
  len += (sign != 0) + (prefix ? 2 : 0);
  size_t pad = len < c->width ? c->width - len : 0;
  if (c->zero && !c->left && c->precision < 0) {
    zeros += pad;
    pad = 0;
  }
  if (!c->left) put_spaces(o, pad);
  if (sign != 0) put(o, &sign, 1);
  if (prefix) put(o, upper ? "0X" : "0x", 2);
  if (zeros > 0) put_zeros(o, zeros);
  if (digits > 0) {
    char text[MOST_DIGITS];
    if (fitting(o, digits) > 0) write_digits(text, v, base, upper);
    put(o, text + MOST_DIGITS - digits, digits);
  }
  if (c->left) put_spaces(o, pad);
}

static void put_float(struct output *o, const struct conversion *c, double x, char letter) {
  size_t precision = c->precision < 0 ? 6 : (size_t)c->precision, max;
  switch (letter) {
    case 'f': max = precision + (x > -1e9 && x < 1e9 ? 12 : 311); break;
    case 'a': max = precision + 24; break;
    default: max = precision + 9;
  }
  put_number(o, c, any_length(1, max));
}

static void put_string(struct output *o, const struct conversion *c, const char *s) {
  size_t len = c->precision < 0 ? strlen(s) : strnlen(s, (size_t)c->precision);
  size_t spaces = len < c->width ? c->width - len : 0;
  if (!c->left) put_spaces(o, spaces);
  size_t k = fitting(o, len);
  if (k > 0) unitproof_apart(o->to + o->n, k, s, k);
  put(o, s, len);
  if (c->left) put_spaces(o, spaces);
}

static int formatted(char *to, size_t size, const char *format, arguments args) {
  struct output o = {to, size == 0 ? 0 : size - 1, 0};
  size_t i = 0;
  while (format[i] != 0) {
    size_t run = i;
    while (format[i] != 0 && format[i] != '%') i++;
    put(&o, format + run, i - run);
    if (format[i] == 0) break;
    i++;
    struct conversion c = {false, false, false, false, false, 0, -1, 0};
    for (;; i++) {
      if (format[i] == '-') c.left = true;
      else if (format[i] == '+') c.plus = true;
      else if (format[i] == ' ') c.space = true;
      else if (format[i] == '#') c.other = true;
      else if (format[i] == '0') c.zero = true;
      else break;
    }
    if (format[i] == '*') {
      int width = __builtin_va_arg(args, int);
      if (width < 0) c.left = true;
      c.width = width < 0 ? 0 - (size_t)width : (size_t)width;
      i++;
    }
    for (; format[i] >= '0' && format[i] <= '9'; i++) c.width = 10 * c.width + (size_t)(format[i] - '0');
    if (format[i] == '.') {
      i++;
      c.precision = 0;
      if (format[i] == '*') {
        int precision = __builtin_va_arg(args, int);
        c.precision = precision < 0 ? -1 : precision;
        i++;
      }
      for (; format[i] >= '0' && format[i] <= '9'; i++) c.precision = 10 * c.precision + (format[i] - '0');
    }
    for (;; i++) {
      if (format[i] == 'h') c.length--;
      else if (format[i] == 'l') c.length = c.length == 1 ? 3 : 1;
      else if (format[i] == 'j' || format[i] == 'q') c.length = 3;
      else if (format[i] == 'z' || format[i] == 't') c.length = 4;
      else if (format[i] == 'L') c.length = 2;
      else break;
    }
    char letter = format[i++];
    switch (letter) {
      case '%': put(&o, "%", 1); break;
      case 'd':
      case 'i': {
        long long v = c.length == 1   ? __builtin_va_arg(args, long)
                      : c.length == 4 ? __builtin_va_arg(args, ptrdiff_t)
                      : c.length > 0  ? __builtin_va_arg(args, long long)
                                      : __builtin_va_arg(args, int);
        if (c.length == -1) v = (short)v;
        if (c.length == -2) v = (signed char)v;
        put_integer(&o, &c, v < 0 ? 0 - (unsigned long long)v : (unsigned long long)v, v < 0, true, 10, false);
        break;
      }
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        unsigned long long v = c.length == 1   ? __builtin_va_arg(args, unsigned long)
                               : c.length == 4 ? __builtin_va_arg(args, size_t)
                               : c.length > 0  ? __builtin_va_arg(args, unsigned long long)
                                               : __builtin_va_arg(args, unsigned);
        if (c.length == -1) v = (unsigned short)v;
        if (c.length == -2) v = (unsigned char)v;
        put_integer(&o, &c, v, false, false, letter == 'u' ? 10 : letter == 'o' ? 8 : 16, letter == 'X');
        break;
      }
      case 'c': {
        char text = (char)__builtin_va_arg(args, int);
        size_t spaces = c.width > 1 ? c.width - 1 : 0;
        if (c.length != 0) unitproof_other_conversion();
        if (!c.left) put_spaces(&o, spaces);
        put(&o, &text, 1);
        if (c.left) put_spaces(&o, spaces);
        break;
      }
      case 's':
        if (c.length != 0) unitproof_other_conversion();
        put_string(&o, &c, __builtin_va_arg(args, const char *));
        break;
      case 'p': {
        const void *p = __builtin_va_arg(args, const void *);
        put_number(&o, &c, p == NULL ? 5 : any_length(3, 2 + 2 * sizeof(void *)));
        break;
      }
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        if (c.length == 2) unitproof_other_conversion();
        put_float(&o, &c, __builtin_va_arg(args, double), letter < 'a' ? (char)(letter + 'a' - 'A') : letter);
        break;
      default: unitproof_other_conversion();
    }
  }
  if (size > 0) to[o.n < o.room ? o.n : o.room] = 0;
  return o.n > INT_MAX ? -1 : (int)o.n;
}

int vsnprintf(char *restrict to, size_t size, const char *restrict format, arguments args) {
  return formatted(to, size, format, args);
}

/* The headers of mingw have inline bodies of the others. */
int __mingw_vsnprintf(char *restrict to, size_t size, const char *restrict format, arguments args) {
  return formatted(to, size, format, args);
}
int __mingw_vsprintf(char *restrict to, const char *restrict format, arguments args) {
  return formatted(to, (size_t)-1, format, args);
}

int vsprintf(char *restrict to, const char *restrict format, arguments args) {
  return formatted(to, (size_t)-1, format, args);
}

int snprintf(char *restrict to, size_t size, const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = formatted(to, size, format, args);
  __builtin_va_end(args);
  return n;
}

int sprintf(char *restrict to, const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = formatted(to, (size_t)-1, format, args);
  __builtin_va_end(args);
  return n;
}

/* A string of its own, as long as it has to be; *to stays as it was if there is no memory. */
int vasprintf(char **restrict to, const char *restrict format, arguments args) {
  arguments again;
  __builtin_va_copy(again, args);
  int n = formatted(NULL, 0, format, again);
  __builtin_va_end(again);
  char *text = n < 0 ? NULL : malloc((size_t)n + 1);
  if (text == NULL) return -1;
  formatted(text, (size_t)n + 1, format, args);
  *to = text;
  return n;
}
int asprintf(char **restrict to, const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = vasprintf(to, format, args);
  __builtin_va_end(args);
  return n;
}
int __vasprintf_chk(char **restrict to, int flag, const char *restrict format, arguments args) {
  return vasprintf(to, format, args);
}
int __asprintf_chk(char **restrict to, int flag, const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = vasprintf(to, format, args);
  __builtin_va_end(args);
  return n;
}

/* What the headers call instead where they check sizes (_FORTIFY_SOURCE). */
int __vsnprintf_chk(char *restrict to, size_t size, int flag, size_t all, const char *restrict format, arguments args) {
  return formatted(to, size, format, args);
}

int __vsprintf_chk(char *restrict to, int flag, size_t object, const char *restrict format, arguments args) {
  return formatted(to, (size_t)-1, format, args);
}

int __snprintf_chk(char *restrict to, size_t size, int flag, size_t object, const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = formatted(to, size, format, args);
  __builtin_va_end(args);
  return n;
}

int __sprintf_chk(char *restrict to, int flag, size_t object, const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = formatted(to, (size_t)-1, format, args);
  __builtin_va_end(args);
  return n;
}
