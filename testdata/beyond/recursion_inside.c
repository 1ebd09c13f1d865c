/*
A recursion inside of the loop writes a variable.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static unsigned depth;
static void down(unsigned k) {
  if (k == 0)
    return;
  depth = k > depth ? k : depth;
  down(k - 1);
}
int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++)
    down(i == 100 ? 3 : 1);
  sassert(depth < 3); // want failed assertion
  return 0;
}
