/* The sentence and the trace of invalid-size; invalid_size.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int n = nd_int();
  assume(n >= 0 && n < 4);
  char line[n]; // want failed invalid-size
  line[0] = 0;
}
