// verdict: failed
// As blocks_of_a_long_buffer.c, but the last block is read one byte too far, and a step is forgotten.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

enum { BLOCK = 9000 };

void blocks_proof(void) {
  size_t n = nd_size_t();
  assume(n <= 100000);
  uint8_t *p = malloc(n);
  assume(p != NULL);
  memhavoc(p, n);
  const uint8_t *at = p;
  unsigned a = 1;
  size_t left = n;
  while (left >= BLOCK) {
    left -= BLOCK;
    unsigned k = BLOCK / 3;
    do {
      a += at[0] + at[1] + at[3]; // want failed out-of-bounds-read
      at += 3;
    } while (--k);
  }
  free(p);
}

void three_positions_proof(void) {
  unsigned n = nd_uint(), whole = 0, halves = 0, at = 0;
  assume(n <= 1000);
  while (at + 2 <= n) {
    if (nd_bool()) {
      whole++;
      at += 2;
    } else {
      if (at != 600)
        halves++;
      at++;
    }
  }
  sassert(2 * whole + halves == at); // want failed assertion
}
