/* The sentence and the trace of invalid-shift; invalid_shift.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned bit = nd_uint();
  assume(bit <= 32);
  uint32_t mask = UINT32_C(1) << bit; // want failed invalid-shift
  sassert(mask != 0);
}
