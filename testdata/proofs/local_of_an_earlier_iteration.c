/*
A local of a loop's body ends with each iteration, though the next one has it at the same place;
a goto out of its block and back ends it, too.
verdict: failed
obligations: 4
*/
#include <unitproof.h>

int main(void) {
  int first = 7, *p = &first;
  for (int k = 0; k < 2; k++) {
    int t = k;
    if (k > 0 && nd_bool())
      *p = t; // want failed use-after-scope
    p = &t;
    *p = 3;
  }
  p = &first;
  *p = 4;
  int n = 0, *q = 0;
again:;
  {
    int x = n;
    if (q && nd_bool())
      *q = 5; // want failed use-after-scope
    q = &x;
    if (++n < 2)
      goto again;
  }
  return 0;
}
