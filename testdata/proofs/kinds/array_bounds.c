/* The sentence and the trace of array-bounds; array_bounds.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

struct frame {
  uint8_t addr[6];
  uint8_t port;
};

int main(void) {
  struct frame f = {0};
  unsigned i = nd_uint();
  assume(i <= 6);
  f.addr[i] = 1; // want failed array-bounds
}
