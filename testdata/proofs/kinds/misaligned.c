/* The sentence and the trace of misaligned; misaligned.txt holds them.
verdict: failed
flags: --check misaligned
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char bytes[12] = {0};
  unsigned at = nd_uint();
  assume(at <= 8);
  int32_t *word = (int32_t *)(bytes + at);
  *word = 1; // want failed misaligned
}
