/* The sentence and the trace of shift-overflow; shift_overflow.txt holds them.
verdict: failed
flags: --check shift-overflow
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int level = nd_int();
  assume(level >= 0);
  int wide = level << 8; // want failed shift-overflow
  sassert(wide == wide);
}
