#include <unitproof.h>

/* The first execution that overflows has to be found: a + b is too large for an int. */
static int middle(int a, int b) { return (a + b) / 2; }

int main(void) {
  int a = nd_int(), b = nd_int();
  assume(0 <= a && a <= b);
  int m = middle(a, b);
  sassert(a <= m && m <= b);
}
