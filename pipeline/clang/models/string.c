/*
 * <string.h> and <strings.h>. Where the standard promises no more than the sign of a comparison, the difference of the
 * bytes is what the usual libraries return.
 */
static size_t find(const char *s, size_t max, char c, bool zero) {
  size_t n = unitproof_find(s, max, (unsigned char)c, zero);
  unitproof_reads(s, n < max ? n + 1 : max);
  return n;
}

size_t strnlen(const char *s, size_t max) {
  if (unitproof_scans()) return find(s, max, 0, true);
  size_t n = 0;
  while (n < max && s[n] != 0) n++;
  return n;
}

size_t strlen(const char *s) {
  if (unitproof_scans()) return find(s, SIZE_MAX, 0, true);
  size_t n = 0;
  while (s[n] != 0) n++;
  return n;
}

char *stpcpy(char *to, const char *from) {
  size_t n = strlen(from);
  __builtin_memmove(to, from, n + 1);
  unitproof_apart(to, n + 1, from, n + 1);
  return to + n;
}

char *strcpy(char *to, const char *from) {
  stpcpy(to, from);
  return to;
}

char *stpncpy(char *to, const char *from, size_t n) {
  size_t m = strnlen(from, n);
  __builtin_memmove(to, from, m);
  __builtin_memset(to + m, 0, n - m);
  unitproof_apart(to, n, from, m < n ? m + 1 : m);
  return to + m;
}

char *strncpy(char *to, const char *from, size_t n) {
  stpncpy(to, from, n);
  return to;
}

char *strcat(char *to, const char *from) {
  stpcpy(to + strlen(to), from);
  return to;
}

char *strncat(char *to, const char *from, size_t n) {
  size_t end = strlen(to), m = strnlen(from, n);
  __builtin_memmove(to + end, from, m);
  to[end + m] = 0;
  unitproof_apart(to + end, m + 1, from, m < n ? m + 1 : m);
  return to;
}

/* The first position at which two strings differ or end, up to n. */
static size_t difference(const char *a, const char *b, size_t n) {
  size_t i = unitproof_differ(a, b, n, true);
  unitproof_reads(a, i < n ? i + 1 : n);
  unitproof_reads(b, i < n ? i + 1 : n);
  return i;
}

int strcmp(const char *a, const char *b) {
  size_t i = 0;
  if (unitproof_scans()) {
    i = difference(a, b, SIZE_MAX);
  } else {
    while (a[i] != 0 && a[i] == b[i]) i++;
  }
  return (unsigned char)a[i] - (unsigned char)b[i];
}

int strncmp(const char *a, const char *b, size_t n) {
  size_t i = 0;
  if (unitproof_scans()) {
    i = difference(a, b, n);
  } else {
    while (i < n && a[i] == b[i] && a[i] != 0) i++;
  }
  return i < n ? (unsigned char)a[i] - (unsigned char)b[i] : 0;
}

/* The locale is "C", where strings collate by their bytes. */
int strcoll(const char *a, const char *b) { return strcmp(a, b); }

int strcasecmp(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] != 0 && tolower((unsigned char)a[i]) == tolower((unsigned char)b[i])) i++;
  return tolower((unsigned char)a[i]) - tolower((unsigned char)b[i]);
}

int _stricmp(const char *a, const char *b) { return strcasecmp(a, b); } /* Windows */

int strncasecmp(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[i]);
    if (x != y) return x - y;
    if (x == 0) break;
  }
  return 0;
}

char *strchrnul(const char *s, int c) {
  if (unitproof_scans()) return (char *)s + find(s, SIZE_MAX, (char)c, true);
  while (*s != 0 && *s != (char)c) s++;
  return (char *)s;
}

char *strchr(const char *s, int c) {
  s = strchrnul(s, c);
  return *s == (char)c ? (char *)s : NULL;
}

char *strrchr(const char *s, int c) {
  if (unitproof_scans()) {
    size_t n = unitproof_find_last(s, strlen(s) + 1, (unsigned char)c);
    return n == 0 ? NULL : (char *)s + n - 1;
  }
  const char *found = NULL;
  for (;; s++) {
    if (*s == (char)c) found = s;
    if (*s == 0) return (char *)found;
  }
}

char *index(const char *s, int c) { return strchr(s, c); }
char *rindex(const char *s, int c) { return strrchr(s, c); }

char *strstr(const char *s, const char *part) {
  for (;; s++) {
    size_t i = 0;
    while (part[i] != 0 && s[i] == part[i]) i++;
    if (part[i] == 0) return (char *)s;
    if (*s == 0) return NULL;
  }
}

size_t strspn(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] != 0 && *strchrnul(set, s[n]) != 0) n++;
  return n;
}

size_t strcspn(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] != 0 && *strchrnul(set, s[n]) == 0) n++;
  return n;
}

char *strpbrk(const char *s, const char *set) {
  s += strcspn(s, set);
  return *s != 0 ? (char *)s : NULL;
}

char *strtok_r(char *restrict s, const char *restrict set, char **restrict rest) {
  if (s == NULL) s = *rest;
  s += strspn(s, set);
  if (*s == 0) {
    *rest = s;
    return NULL;
  }
  char *end = s + strcspn(s, set);
  if (*end != 0) *end++ = 0;
  *rest = end;
  return s;
}

char *strtok(char *restrict s, const char *restrict set) {
  static char *rest;
  return strtok_r(s, set, &rest);
}

char *strsep(char **restrict text, const char *restrict set) {
  char *s = *text;
  if (s == NULL) return NULL;
  char *end = s + strcspn(s, set);
  if (*end != 0) {
    *end = 0;
    *text = end + 1;
  } else {
    *text = NULL;
  }
  return s;
}

char *strdup(const char *s) {
  size_t n = strlen(s) + 1;
  char *copy = malloc(n);
  if (copy != NULL) __builtin_memcpy(copy, s, n);
  return copy;
}

char *strndup(const char *s, size_t max) {
  size_t n = strnlen(s, max);
  char *copy = malloc(n + 1);
  if (copy != NULL) {
    __builtin_memcpy(copy, s, n);
    copy[n] = 0;
  }
  return copy;
}

char *__strdup(const char *s) { return strdup(s); }
char *__strndup(const char *s, size_t max) { return strndup(s, max); }

/* All n bytes have to be there, wherever the first difference is. This is a loop, not unitproof_differ: the position at
 * which two ranges differ may be anywhere, and reading there can mean all bytes of all objects that the pointers may
 * point into, while the loop is cut where its iterations are alike. */
int memcmp(const void *a, const void *b, size_t n) {
  unitproof_reads(a, n);
  unitproof_reads(b, n);
  const unsigned char *x = a, *y = b;
  size_t i = 0;
  while (i < n && x[i] == y[i]) i++;
  return i < n ? x[i] - y[i] : 0;
}

int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

void *memchr(const void *s, int c, size_t n) {
  const unsigned char *x = s;
  if (unitproof_scans()) {
    size_t i = find(s, n, (char)c, false);
    return i < n ? (void *)(x + i) : NULL;
  }
  for (size_t i = 0; i < n; i++) {
    if (x[i] == (unsigned char)c) return (void *)(x + i);
  }
  return NULL;
}

void *memrchr(const void *s, int c, size_t n) {
  const unsigned char *x = s;
  if (unitproof_scans()) {
    size_t i = unitproof_find_last(s, n, (unsigned char)c);
    unitproof_reads(i == 0 ? x : x + i - 1, i == 0 ? n : n - i + 1);
    return i == 0 ? NULL : (void *)(x + i - 1);
  }
  while (n > 0) {
    n--;
    if (x[n] == (unsigned char)c) return (void *)(x + n);
  }
  return NULL;
}

void *rawmemchr(const void *s, int c) {
  const unsigned char *x = s;
  if (unitproof_scans()) return (void *)(x + find(s, SIZE_MAX, (char)c, false));
  while (*x != (unsigned char)c) x++;
  return (void *)x;
}

void *memccpy(void *restrict to, const void *restrict from, int c, size_t n) {
  unsigned char *x = to;
  const unsigned char *y = from;
  size_t i = 0;
  bool found = false;
  for (; i < n && !found; i++) {
    x[i] = y[i];
    found = y[i] == (unsigned char)c;
  }
  unitproof_apart(to, i, from, i);
  return found ? x + i : NULL;
}

void *memmem(const void *s, size_t n, const void *part, size_t m) {
  const unsigned char *x = s;
  for (size_t i = 0; m <= n && i <= n - m; i++) {
    if (memcmp(x + i, part, m) == 0) return (void *)(x + i);
  }
  return NULL;
}

void bzero(void *p, size_t n) { __builtin_memset(p, 0, n); }
void explicit_bzero(void *p, size_t n) { __builtin_memset(p, 0, n); }
void bcopy(const void *from, void *to, size_t n) { __builtin_memmove(to, from, n); }
