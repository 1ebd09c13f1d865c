/*
The input belongs to its caller: a target must not write behind it, nor free it.

verdict: failed
*/
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 3) ((uint8_t *)data)[size] = 0; // want failed out-of-bounds-write
  if (size == 2) free((void *)data);          // want failed invalid-free
  return 0;
}
