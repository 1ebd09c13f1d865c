/*
A function counts its calls in a static variable, and raises a flag late.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static int flag;
static void tick(void) {
  static unsigned calls;
  if (++calls == 150)
    flag = 1;
}
int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++)
    tick();
  sassert(flag == 0); // want failed assertion
  return 0;
}
