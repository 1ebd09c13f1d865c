#include <unitproof.h>

/* No execution meets both assumptions: the assertion, though false, is never reached. */
int main(void) {
  unsigned n = nd_uint();
  assume(n < 4);
  assume(n > 8);
  sassert(n == 5);
}
