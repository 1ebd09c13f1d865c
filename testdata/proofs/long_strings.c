/*
Strings of any length that nobody unrolls: where they end, and where two differ.
verdict: failed
*/
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

#define N 300
static char a[N], b[N];

static void strings(void) {
  memhavoc(a, N);
  memhavoc(b, N);
  assume(a[N - 1] == 0 && b[N - 1] == 0);
}

void lengths_proof(void) {
  strings();
  size_t n = strlen(a), k = nd_size_t();
  sassert(n < N && a[n] == 0);
  assume(k < n);
  sassert(a[k] != 0 && strlen(a + k) == n - k);
  a[n / 2] = 0;
  sassert(strlen(a) == n / 2);
  sassert(strlen(b) < N - 1); // want failed assertion
}

void compared_proof(void) {
  strings();
  int r = strcmp(a, b);
  if (r == 0) {
    size_t k = nd_size_t();
    assume(k <= strlen(a));
    sassert(a[k] == b[k] && strlen(a) == strlen(b));
    sassert(strlen(a) != N / 2);      // want failed assertion
    sassert(memcmp(a, b, N / 2) == 0); // want failed assertion
  } else {
    sassert((strcmp(b, a) < 0) == (r > 0));
  }
  if ((unsigned char)a[0] >= 0x80 && b[0] > 0) sassert(r > 0);
  if ((unsigned char)a[1] >= 0x80 && b[1] > 0) sassert(r > 0); // want failed assertion
}

void copied_proof(void) {
  static char to[2 * N], small[N - 1];
  strings();
  strcpy(to, a);
  sassert(strcmp(to, a) == 0);
  strcat(to, b);
  sassert(strlen(to) == strlen(a) + strlen(b));
  strncpy(small, a, N / 2);
  sassert(strnlen(small, N - 1) <= N / 2);
  strcpy(small, b); // want failed out-of-bounds-write
}

void found_proof(void) {
  strings();
  int c = nd_int();
  char *p = strchr(a, c), *q = strrchr(a, c), *r = memchr(a, c, N);
  sassert((p == NULL) == (q == NULL));
  if (p != NULL) {
    sassert(p == r && p <= q && *q == (char)c);
    size_t k = nd_size_t();
    assume(k < (size_t)(p - a));
    sassert(a[k] != (char)c);
    sassert(p == q); // want failed assertion
  }
  sassert((p == NULL) == (r == NULL)); // want failed assertion
}

void endless_proof(void) {
  memhavoc(a, N);
  a[nd_size_t() % N] = 0;
  a[nd_size_t() % N] = 1;
  strlen(a); // want failed out-of-bounds-read
}

void overlapping_proof(void) {
  strings();
  size_t n = strlen(a);
  assume(n < N / 2);
  strcpy(a + n + 1, a);
  strcpy(a + n, a); // want failed overlapping-copy
}

void shorter_proof(void) {
  size_t n = nd_size_t();
  assume(n > 0);
  char *s = malloc(n);
  assume(s != NULL);
  memhavoc(s, n);
  s[n - 1] = 0;
  sassert(strlen(s) < n);
  sassert(strlen(s) < n - 1); // want failed assertion
  free(s);
}
