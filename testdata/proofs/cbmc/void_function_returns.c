/*
gcc and goto-cc take `return e;` in a function that returns nothing: e is evaluated.
verdict: failed
obligations: 1
*/
#include <assert.h>

static int calls;
static int count(void) { return ++calls; }
static void twice(void) {
  count();
  return count();
}

int nondet_int(void);

int main(void) {
  twice();
  assert(calls == 2);
  assert(nondet_int() != calls); // want failed assertion
  return 0;
}
