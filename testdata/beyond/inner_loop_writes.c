/*
Only the loop inside writes, and in a late row only.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static int seen[4];
int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < 4; j++)
      if (i == 88)
        seen[j] = 1;
  sassert(seen[2] == 0); // want failed assertion
  return 0;
}
