/*
The number of a cell is kept in 16 bits, which the table has more cells than.
verdict: failed
obligations: 1
*/
#include <stdint.h>
#include <unitproof.h>

#define ROWS 1000u
#define COLS 70u
static int16_t cell[ROWS * COLS];

int main(void) {
  memhavoc(cell, sizeof cell);
  for (uint16_t r = 0; r < ROWS; r++)
    for (uint16_t c = 0; c < COLS; c++) {
      uint16_t at = (uint16_t)(r * COLS + c);
      cell[at] = 0;
    }
  uint32_t k = nd_uint32_t();
  assume(k < ROWS * COLS);
  sassert(cell[k] == 0); // want failed assertion
  return 0;
}
