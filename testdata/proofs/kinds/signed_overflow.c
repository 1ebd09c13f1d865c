/* The sentence and the trace of signed-overflow; signed_overflow.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

static int average(int a, int b) { return (a + b) / 2; } // want failed signed-overflow

int main(void) {
  int a = nd_int(), b = nd_int();
  assume(a >= 0 && b >= 0);
  sassert(average(a, b) >= 0);
}
