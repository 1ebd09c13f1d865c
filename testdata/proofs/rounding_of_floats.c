// verdict: proved
#include <float.h>
#include <unitproof.h>

/* FLT_ROUNDS is 1: to the nearest number, and of two as near ones to the even one, as all arithmetic here is. */
int main(void) {
  double one = nd_double();
  assume(one == 1);
  sassert(FLT_ROUNDS == 1);
  sassert(one + DBL_EPSILON / 2 == 1 && one + DBL_EPSILON * 0.75 > 1);
  return 0;
}
