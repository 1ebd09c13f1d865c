/*
What only executions that violate something reach is behind the violation, not vacuous.
verdict: failed
obligations: 3
*/
#include <assert.h>
#include <unitproof.h>

static int two(int x) {
  assert(x == 2); // want failed assertion
  return x;
}

int main(void) {
  int y = two(1);
  sassert(y == 1);
  for (int i = 0; i < 3; i++)
    sassert(i < 3);
  return 0;
}
