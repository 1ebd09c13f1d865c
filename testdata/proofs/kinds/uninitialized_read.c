/* The sentence and the trace of uninitialized-read; uninitialized_read.txt holds them.
verdict: failed
flags: --check uninitialized-read --no-check assertion
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int r;
  if (nd_bool())
    r = 1;
  sassert(r != 2); // want failed uninitialized-read
}
