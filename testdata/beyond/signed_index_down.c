/*
A signed index goes below zero after 100 steps.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

int main(void) {
  int n = nd_int(), i = 100;
  assume(0 <= n && n <= 1000);
  while (n-- > 0)
    i--;
  sassert(i >= 0); // want failed assertion
  return 0;
}
