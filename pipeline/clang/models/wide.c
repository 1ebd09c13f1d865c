/*
 * <wchar.h>: strings of wide characters. Comparisons give -1, 0 or 1; C promises the sign.
 */
size_t wcsnlen(const wchar_t *s, size_t max) {
  size_t n = 0;
  while (n < max && s[n] != 0) n++;
  return n;
}
size_t wcslen(const wchar_t *s) {
  size_t n = 0;
  while (s[n] != 0) n++;
  return n;
}

/* The size in bytes of n characters, too large for every object where it is too large for a number. */
static size_t wide(size_t n) { return n > SIZE_MAX / sizeof(wchar_t) ? SIZE_MAX : n * sizeof(wchar_t); }

wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n) {
  __builtin_memmove(to, from, wide(n));
  unitproof_apart(to, wide(n), from, wide(n));
  return to;
}
wchar_t *wmempcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n) { return wmemcpy(to, from, n) + n; }
wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n) {
  __builtin_memmove(to, from, wide(n));
  return to;
}
wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = c;
  return to;
}
wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (s[i] == c) return (wchar_t *)s + i;
  return NULL;
}
static int wide_order(wchar_t a, wchar_t b) { return (a > b) - (a < b); }
int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (a[i] != b[i]) return wide_order(a[i], b[i]);
  return 0;
}

wchar_t *wcpcpy(wchar_t *restrict to, const wchar_t *restrict from) {
  size_t n = wcslen(from);
  return wmemcpy(to, from, n + 1) + n;
}
wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from) {
  wcpcpy(to, from);
  return to;
}
wchar_t *wcpncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n) {
  size_t m = wcsnlen(from, n);
  wmemcpy(to, from, m);
  for (size_t i = m; i < n; i++) to[i] = 0;
  return to + m;
}
wchar_t *wcsncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n) {
  wcpncpy(to, from, n);
  return to;
}
wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from) {
  wcpcpy(to + wcslen(to), from);
  return to;
}
wchar_t *wcsncat(wchar_t *restrict to, const wchar_t *restrict from, size_t n) {
  size_t end = wcslen(to), m = wcsnlen(from, n);
  wmemcpy(to + end, from, m);
  to[end + m] = 0;
  return to;
}

int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (a[i] != b[i] || a[i] == 0) return wide_order(a[i], b[i]);
  return 0;
}
int wcscmp(const wchar_t *a, const wchar_t *b) { return wcsncmp(a, b, SIZE_MAX); }

wchar_t *wcschr(const wchar_t *s, wchar_t c) {
  for (;; s++) {
    if (*s == c) return (wchar_t *)s;
    if (*s == 0) return NULL;
  }
}
wchar_t *wcsrchr(const wchar_t *s, wchar_t c) {
  const wchar_t *last = NULL;
  for (;; s++) {
    if (*s == c) last = s;
    if (*s == 0) return (wchar_t *)last;
  }
}
static bool wide_among(wchar_t c, const wchar_t *set) {
  for (; *set != 0; set++)
    if (*set == c) return true;
  return false;
}
size_t wcsspn(const wchar_t *s, const wchar_t *set) {
  size_t n = 0;
  while (s[n] != 0 && wide_among(s[n], set)) n++;
  return n;
}
size_t wcscspn(const wchar_t *s, const wchar_t *set) {
  size_t n = 0;
  while (s[n] != 0 && !wide_among(s[n], set)) n++;
  return n;
}
wchar_t *wcspbrk(const wchar_t *s, const wchar_t *set) {
  s += wcscspn(s, set);
  return *s != 0 ? (wchar_t *)s : NULL;
}
wchar_t *wcsstr(const wchar_t *s, const wchar_t *part) {
  size_t n = wcslen(part);
  for (;; s++) {
    if (wcsncmp(s, part, n) == 0) return (wchar_t *)s;
    if (*s == 0) return NULL;
  }
}
wchar_t *wcsdup(const wchar_t *s) {
  size_t n = wcslen(s) + 1;
  wchar_t *copy = malloc(wide(n));
  if (copy != NULL) wmemcpy(copy, s, n);
  return copy;
}
