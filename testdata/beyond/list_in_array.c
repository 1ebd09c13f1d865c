/*
Links by index: one far away leads to the end too early.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static unsigned next[1000];
int main(void) {
  unsigned n = nd_uint32_t(), at = 0, steps = 0;
  assume(n <= 1000);
  for (unsigned i = 0; i < 1000; i++)
    next[i] = i == 140 ? 0 : i + 1;
  while (at < n && steps < 2000) {
    at = next[at];
    steps++;
  }
  sassert(at >= n); // want failed assertion
  return 0;
}
