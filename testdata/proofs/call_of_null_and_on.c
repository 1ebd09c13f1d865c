/*
The same behind a call through NULL.
verdict: failed
obligations: 2
*/
#include <unitproof.h>

int main(void) {
  void (*f)(void) = NULL;
  f(); // want failed invalid-call
  sassert(nd_int() == 1);
  return 0;
}
