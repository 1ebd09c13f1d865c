/* Each execution leaves the program in the function that is called, or is excluded there: that its result is 0 is asserted
   of none, though each outcome alone is excluded and the call is reached.
verdict: vacuous
*/
#include <assert.h>
#include <stdlib.h>
#include <unitproof.h>
static int f(int x) {
  if (x > 0) exit(0);
  assume(x > 5);
  { int y = x; if (y == 9) return -1; }
  return x == 3;
}
int main(void) {
  assert(f(nd_int()) == 0); // want vacuous assertion
}
