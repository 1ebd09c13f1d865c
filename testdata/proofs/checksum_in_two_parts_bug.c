/*
 * verdict: failed
 *
 * As checksum_in_two_parts, but that the second part of a text of 24 bytes begins one byte early.
 */
#include <stdint.h>
#include <unitproof.h>

static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                   0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                   0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

static uint32_t checksum(uint32_t c, const uint8_t *p, size_t n) {
  for (size_t i = 0; i < n; i++) {
    c = (c >> 4) ^ table[(c ^ p[i]) & 15];
    c = (c >> 4) ^ table[(c ^ (p[i] >> 4)) & 15];
  }
  return c;
}

int main(void) {
  uint8_t text[24];
  memhavoc(text, sizeof text);
  size_t n = nd_size_t(), first = nd_size_t();
  assume(n <= sizeof text && first <= n);
  uint32_t c = nd_uint32_t();
  const uint8_t *rest = text + first - (first == 17 && n == 24);
  sassert(checksum(c, text, n) == checksum(checksum(c, text, first), rest, n - first)); // want failed assertion
}
