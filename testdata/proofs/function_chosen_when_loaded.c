/*
 * verdict: unknown
 * obligations: 2
 *
 * What stands behind an ifunc is chosen by a function of the program when that is loaded.
 */
#include <unitproof.h>

static int x;
static int writes(void) {
  x = 1;
  return 2;
}
static int (*choose(void))(void) { return writes; }
int f(void) __attribute__((ifunc("choose")));

int main(void) {
  sassert(x == 0);
  f();
  sassert(x == 0); // want unknown assertion
}
