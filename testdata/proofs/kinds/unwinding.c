/* The sentence and the trace of unwinding; unwinding.txt holds them.
verdict: bounded
flags: --unwind 3
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned n = nd_uint(), steps = 0;
  assume(n < 1000);
  while (n > 0) { // want bounded unwinding
    n &= n - 1;
    steps++;
  }
  sassert(steps <= 10); // want bounded assertion
}
