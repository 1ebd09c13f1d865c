/* The sentence and the trace of out-of-bounds-read; out_of_bounds_read.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

static int sum(const int *v, size_t n) {
  int s = 0;
  for (size_t i = 0; i <= n; i++)
    s += v[i] & 7; // want failed out-of-bounds-read
  return s;
}

int main(void) {
  int v[4] = {1, 2, 3, 4};
  sassert(sum(v, 4) >= 0);
}
