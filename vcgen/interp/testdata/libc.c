/* The functions of libc that the tests use, as plain C. */
#include <stddef.h>

size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n] != 0)
    n++;
  return n;
}

char *strcpy(char *to, const char *from) {
  size_t i = 0;
  do
    to[i] = from[i];
  while (from[i++] != 0);
  return to;
}

char *strncpy(char *to, const char *from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i] != 0; i++)
    to[i] = from[i];
  for (; i < n; i++)
    to[i] = 0;
  return to;
}

int strcmp(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] != 0 && a[i] == b[i])
    i++;
  return (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
}

int memcmp(const void *a, const void *b, size_t n) {
  const unsigned char *x = a, *y = b;
  for (size_t i = 0; i < n; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

char *strchr(const char *s, int c) {
  for (;; s++) {
    if (*s == (char)c)
      return (char *)s;
    if (*s == 0)
      return NULL;
  }
}

static int error_number;
int *__errno_location(void) { return &error_number; }

const unsigned short **__ctype_b_loc(void) {
  static unsigned short table[384];
  static const unsigned short *p;
  for (int c = '0'; c <= '9'; c++)
    table[128 + c] = 2048;
  p = table + 128;
  return &p;
}

void qsort(void *base, size_t n, size_t size, int (*less)(const void *, const void *)) {
  char *a = base;
  for (size_t i = 1; i < n; i++)
    for (size_t j = i; j > 0 && less(a + (j - 1) * size, a + j * size) > 0; j--)
      for (size_t k = 0; k < size; k++) {
        char t = a[(j - 1) * size + k];
        a[(j - 1) * size + k] = a[j * size + k];
        a[j * size + k] = t;
      }
}
