/* The sentence and the trace of float-to-int-overflow; float_to_int_overflow.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  double seconds = nd_double();
  assume(seconds >= 0 && seconds < 1e7);
  int ms = seconds * 1000; // want failed float-to-int-overflow
  sassert(ms >= 0);
}
