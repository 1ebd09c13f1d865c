/* The sentence and the trace of division-by-zero; division_by_zero.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned total = nd_uint(), parts = nd_uint();
  assume(total > 10);
  sassert(total / parts <= total); // want failed division-by-zero
}
