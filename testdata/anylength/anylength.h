// Inputs of any length up to 100,000 bytes, for the harnesses of "unitproof-bench any-length".
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

#define BUFFER(s, n)        \
  size_t n = nd_size_t();   \
  assume(n <= 100000);      \
  char *s = malloc(n);      \
  assume(s != NULL);        \
  memhavoc(s, n)

#define STRING(s, n)        \
  size_t n = nd_size_t();   \
  assume(n <= 100000);      \
  char *s = malloc(n + 1);  \
  assume(s != NULL);        \
  memhavoc(s, n + 1);       \
  s[n] = 0

// The callback of inih: accepts each pair.
static int handler(void *user, const char *section, const char *name, const char *value) { return 1; }

// A reader for cmp, over a block.
struct input {
  char *bytes;
  size_t size, position;
};
