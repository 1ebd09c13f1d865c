// verdict: proved
// obligations: 3
//
// The shift in kind() has constant operands. An execution takes the third call, and so reaches the check. None takes
// the other ones, which their guards alone do not show.
#include <unitproof.h>

#define STRING (1 << 4)

static void kind(int *t) {
  *t = STRING; // want proved invalid-shift
}

int main(void) {
  int x = 0;
  unsigned y = nd_uint(), z = nd_uint();
  assume(y < 100 && z < 100 && y * z == 1000);
  if (y == 33)
    kind(&x);
  else if (y == 34)
    kind(&x);
  else if (y == 40)
    kind(&x);
  else if (y == 41)
    kind(&x);
  else if (y == 42)
    kind(&x);
  sassert(x == 0 || z == 25);
  return 0;
}
