/*
A function may end without a value as long as nobody looks at it. An arbitrary value, or one
that was never written, is a value.
verdict: failed
obligations: 3
*/
#include <unitproof.h>

static int sign(int x) {
  if (x > 0)
    return 1;
} // (no return)

static int none(void) {}

static int perhaps(int x) {
  int y;
  if (x > 0)
    return y;
  return 2;
}

int main(void) {
  int x = nd_int();
  sign(x);
  none();
  int z = perhaps(x);
  sassert(z == z);
  if (x > 0) {
    int y = sign(x);
    sassert(y == 1);
  }
  int y = sign(x); // want failed unreachable
  sassert(y == 1);
  return 0;
}

void none_proof(void) {
  int y = none(); // want failed unreachable
  (void)y;
}
