/*
An array whose size is computed must have a positive size, and ends with its block.
verdict: failed
obligations: 3
*/
#include <unitproof.h>

static int last(int n) {
  int scratch[n]; // want failed invalid-size
  for (int i = 0; i < n; i++)
    scratch[i] = i * 2;
  return scratch[n - 1];
}

int main(void) {
  int n = nd_int();
  assume(n >= 0 && n <= 5);
  sassert(last(n) == 2 * n - 2);
  return 0;
}
