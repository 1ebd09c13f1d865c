/*
Every other row of a table is cleared.
verdict: failed
obligations: 1
*/
#include <stdint.h>
#include <unitproof.h>

#define ROWS 300u
#define COLS 70u
static int16_t cell[ROWS * COLS];

int main(void) {
  memhavoc(cell, sizeof cell);
  for (uint32_t r = 0; r < ROWS; r += 2)
    for (uint32_t c = 0; c < COLS; c++)
      cell[r * COLS + c] = 0;
  uint32_t k = nd_uint32_t();
  assume(k < ROWS * COLS);
  sassert(cell[k] == 0); // want failed assertion
  return 0;
}
