/*
The loop makes a pointer in memory lead to another variable, which a function without a body may write through it.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

void other(int **through);

int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 900);
  int first = 0, second = 0, *at = &first;
  for (unsigned i = 0; i < n; i++)
    if (i == 400)
      at = &second;
  other(&at);
  sassert(second == 0); // want failed assertion
  return 0;
}
