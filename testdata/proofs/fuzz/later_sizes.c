/*
Sizes of the input are decided one after the other. What the first ones do not reach is checked for the later ones, and
one size without a violation says nothing about the next one. The outer loop does not depend on the size.

verdict: failed
flags: --max-len 6
*/
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

static uint32_t mixed(const uint8_t *data, size_t size) {
  uint32_t h = 2166136261u;
  for (size_t round = 0; round < 40; round++) {
    for (size_t i = 0; i < size; i++) h = (h ^ data[i]) * 16777619u ^ h >> 7;
  }
  return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint32_t h = mixed(data, size);
  if (size < 3) return -1;
  assert(size != 3 || data[0] != 'x' || data[1] == 'y' || h == 0 || data[2] != 'z'); // want failed assertion
  if (size == 5) {
    assert(data[4] != 77); // want failed assertion
  }
  return 0;
}
