/* verdict: failed
   The block comes from a helper function, so that its pointer splits the states of the loop, and few iterations are hard
   to unroll. The loop is proved for any number of iterations nevertheless. In the second reader a check is missing. */
#include <stdlib.h>
#include <unitproof.h>

static int next(const unsigned char *s, size_t n, size_t *at, size_t *length) {
  if (*at >= n) return 0;
  *length = s[*at];
  *at += 1;
  if (*length > n - *at) return 0;
  *at += *length;
  return 1;
}

static int next_unchecked(const unsigned char *s, size_t n, size_t *at, size_t *length) {
  *length = s[*at];  // want failed out-of-bounds-read
  *at += 1;
  if (*length > n - *at) return 0;
  *at += *length;
  return 1;
}

static unsigned char *arbitrary(size_t n) {
  unsigned char *s = malloc(n);
  assume(s != NULL);
  memhavoc(s, n);
  return s;
}

void checked_proof(void) {
  size_t n = nd_size_t(), at = 0;
  assume(n <= 100000);
  unsigned char *s = arbitrary(n);
  for (;;) {
    size_t length;
    if (!next(s, n, &at, &length)) break;
  }
  sassert(at <= n);
  free(s);
}

void unchecked_proof(void) {
  size_t n = nd_size_t(), at = 0;
  assume(n <= 100000);
  unsigned char *s = arbitrary(n);
  for (;;) {
    size_t length;
    if (!next_unchecked(s, n, &at, &length)) break;
  }
  free(s);
}
