/* The sentence and the trace of overlapping-copy; overlapping_copy.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char line[16] = "abcdefgh";
  size_t gap = nd_size_t();
  assume(gap > 0 && gap <= 8);
  memcpy(line + gap, line, 4); // want failed overlapping-copy
}
