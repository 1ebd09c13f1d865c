// verdict: proved
// A buffer is read in long blocks. The executions that propose invariants are too short for a second block.
// The invariant "position + rest == length" is found because the state behind the first block satisfies it.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

enum { BLOCK = 9000 };

static unsigned sums(const uint8_t *p, size_t n) {
  unsigned a = 1, b = 0;
  while (n >= BLOCK) {
    n -= BLOCK;
    unsigned k = BLOCK / 3;
    do {
      a += p[0] + p[1] + p[2];
      b += a;
      p += 3;
    } while (--k);
    a %= 65521;
    b %= 65521;
  }
  while (n--) {
    a += *p++;
    b += a;
  }
  return b << 16 | a;
}

void blocks_proof(void) {
  size_t n = nd_size_t();
  assume(n <= 100000);
  uint8_t *p = malloc(n);
  assume(p != NULL);
  memhavoc(p, n);
  (void)sums(p, n);
  free(p);
}

// Two positions that move by different steps in an order that inputs choose: an equation with three terms.
void three_positions_proof(void) {
  unsigned n = nd_uint(), whole = 0, halves = 0, at = 0;
  assume(n <= 1000);
  while (at + 2 <= n) {
    if (nd_bool()) {
      whole++;
      at += 2;
    } else {
      halves++;
      at++;
    }
  }
  sassert(2 * whole + halves == at);
}
