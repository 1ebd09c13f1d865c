/* The sentence and the trace of use-after-scope; use_after_scope.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

static int *biggest(int a, int b) {
  int *p = &a;
  if (b > a)
    p = &b;
  return p;
}

int main(void) {
  int *p = biggest(nd_int(), 3);
  sassert(*p >= 3); // want failed use-after-scope
}
