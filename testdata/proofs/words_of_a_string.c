/* verdict: failed
   Three walks over a string, one within another: positions are sums of three variables, and a step past the terminator
   is excluded by the byte that was read. Without a terminator the second proof reads past the block. */
#include <stdlib.h>
#include <unitproof.h>

void terminated_proof(void) {
  size_t n = nd_size_t();
  assume(n <= 100000);
  char *s = malloc(n + 1);
  assume(s != NULL);
  memhavoc(s, n + 1);
  s[n] = 0;
  char *c = s;
  while (*c) {
    char *d = c;
    while (*d && *d != '/') d++;
    c = d;
    while (*c == '/') c++;
  }
  sassert(c <= s + n);
  free(s);
}

void not_terminated_proof(void) {
  size_t n = nd_size_t();
  assume(n <= 100000);
  char *s = malloc(n + 1);
  assume(s != NULL);
  memhavoc(s, n + 1);
  char *c = s;
  while (*c) {
    char *d = c;
    while (*d && *d != '/') d++;  // want failed out-of-bounds-read
    c = d;
    while (*c == '/') c++;  // want failed out-of-bounds-read
  }
  free(s);
}
