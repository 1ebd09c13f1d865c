/* The sentence and the trace of unsigned-overflow; unsigned_overflow.txt holds them.
verdict: failed
flags: --check unsigned-overflow
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned have = nd_uint(), need = nd_uint();
  unsigned left = have - need; // want failed unsigned-overflow
  sassert(left <= have);
}
