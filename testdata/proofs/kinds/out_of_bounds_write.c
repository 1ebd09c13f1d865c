/* The sentence and the trace of out-of-bounds-write; out_of_bounds_write.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  size_t n = nd_size_t(), i = nd_size_t();
  assume(n > 0 && n <= 40 && i <= n);
  int *buf = malloc(n * sizeof *buf);
  if (buf == NULL)
    return 1;
  buf[i] = 7; // want failed out-of-bounds-write
}
