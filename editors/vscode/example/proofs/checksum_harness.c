#include "../src/checksum.h"
#include <stdlib.h>
#include <unitproof.h>

/* Reads only the bytes it is given, and gives the same sum when it reads them again. */
void checksum_harness(void) {
  size_t n = nd_size_t();
  uint8_t *bytes = malloc(n);
  assume(bytes != NULL);
  memhavoc(bytes, n);

  sassert(checksum(bytes, n) == checksum(bytes, n));
  free(bytes);
}
