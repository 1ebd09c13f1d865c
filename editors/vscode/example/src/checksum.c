#include "checksum.h"

uint8_t checksum(const uint8_t *bytes, size_t n) {
  uint32_t sum = 0;
  for (size_t i = 0; i < n; i++)
    sum = (sum + bytes[i]) % 255;
  return (uint8_t)sum;
}
