/*
memhavoc(NULL, n) does nothing, also where the pointer may denote a whole object otherwise.
verdict: failed
obligations: 2
*/
#include <unitproof.h>

int main(void) {
  int x = 5;
  bool none = nd_bool();
  int *p = none ? NULL : &x;
  memhavoc(p, sizeof x);
  sassert(!none || x == 5);
  sassert(x == 5); // want failed assertion
  return 0;
}
