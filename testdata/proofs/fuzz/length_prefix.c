/*
A fuzz target is a proof as it stands: its input is a block of exactly as many bytes as it says, and results, -1
included, are accepted. It needs no name of the proof language, and the main of a driver in the file is no proof.

verdict: failed
obligations: 7
*/
#include <stddef.h>
#include <stdint.h>

static int sum(const uint8_t *data, size_t size) {
  size_t i = 0;
  int total = 0;
  while (i < size) {
    size_t length = data[i++];
    if (length > 3) return -1;
    for (size_t k = 0; k < length; k++) total += data[i + k]; // want failed out-of-bounds-read
    i += length;
  }
  return total;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 12) return -1;
  return sum(data, size);
}

int main(void) { return *(volatile int *)0; }
