/*
 * verdict: failed
 *
 * A call of a weak function that nothing defines may be a call of NULL, so that it is not decided. What stands before it is.
 */
#include <unitproof.h>

int hook(int) __attribute__((weak));
int defined(int) __attribute__((weak));
int defined(int x) { return x; }

int main(void) {
  int x = nd_int();
  sassert(x != 5); // want failed assertion
  sassert(defined(x) == x); // want proved assertion
  x = hook(x);
  sassert(x == x); // want unknown assertion
  return 0;
}
