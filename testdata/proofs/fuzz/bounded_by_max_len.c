/*
No input is longer than max-len, and some are as long.

verdict: failed
flags: --max-len 5
*/
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  assert(size <= 5);
  assert(size < 5 || data[4] != 9); // want failed assertion
  return 0;
}
