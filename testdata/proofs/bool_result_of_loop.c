/* verdict: failed
   A result of type bool that is set within a loop of any length: one bit, which is no pointer. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

static bool starts(const uint8_t *a, size_t n, const char *s) {
  for (size_t i = 0; i < n; ++i) {
    const uint8_t c = (uint8_t)s[i];
    if (c == 0) return false;
    if (a[i] != c) return false;
  }
  return s[n] == 0;
}

int main(void) {
  size_t n = nd_size_t();
  assume(n < 1000);
  uint8_t *a = malloc(n);
  char *b = malloc(n + 1);
  assume(a && b);
  b[n] = 0;
  bool r = starts(a, n, b);
  if (n > 0 && r) {
    sassert(a[0] == (uint8_t)b[0]);
    sassert(a[0] == b[0]); // want failed assertion
  }
  free(a);
  free(b);
}
