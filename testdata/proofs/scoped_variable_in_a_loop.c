/* verdict: failed
   Records with a length prefix, of any number: the length is a variable of the loop's body whose address is passed on.
   Its lifetime begins and ends in each iteration, so the loop changes nothing that existed before. In the second reader
   the check of the length is missing. */
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
  if (*at >= n) return 0;
  *length = s[*at];
  *at += 1 + *length;
  return 1;
}

void checked_proof(void) {
  size_t n = nd_size_t(), at = 0;
  assume(n <= 100000);
  unsigned char *s = malloc(n);
  assume(s != NULL);
  memhavoc(s, n);
  for (;;) {
    size_t length;
    if (!next(s, n, &at, &length)) break;
    if (length > 0) sassert(s[at - 1] <= 255);
  }
  sassert(at <= n);
  free(s);
}

void unchecked_proof(void) {
  size_t n = nd_size_t(), at = 0;
  assume(n <= 100000);
  unsigned char *s = malloc(n);
  assume(s != NULL);
  memhavoc(s, n);
  for (;;) {
    size_t length;
    if (!next_unchecked(s, n, &at, &length)) break;
    if (length > 0) sassert(s[at - 1] <= 255);  // want failed out-of-bounds-read
  }
  sassert(at <= n);
  free(s);
}
