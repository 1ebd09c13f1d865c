/*
clang makes no code of what its own folding of constants shows to be dead. Assertions there are vacuous like any others that no
execution reaches; those whose condition is a constant, of which it makes no code either, are not.
verdict: vacuous
*/
#include <assert.h>
#include <unitproof.h>

#define TRACE 0

static int behind_a_return(int x) {
  return x;
  sassert(x == 1); // want vacuous assertion
}

static int never_called(int x) {
  if (0)
    sassert(x == 1);
  return x;
}

int main(void) {
  int x = nd_int();
  assert(1);
  assert(sizeof(int) == 4);
  if (sizeof(int) == 8)
    sassert(x == 2); // want vacuous assertion
  else
    sassert(x == x); // want proved assertion
  if (0) {
    x++;
    assert(x == 3); // want vacuous assertion
    assert(!"nobody gets here");
  }
  switch (3) {
  case 1:
    sassert(x == 4); // want vacuous assertion
    break;
  case 3:
    sassert(x == x); // want proved assertion
  }
  1 ? (void)0 : sassert(x == 5); // want vacuous assertion
  if (TRACE && x)
    sassert(x == 6); // want vacuous assertion
#if TRACE
  sassert(x == 7);
#endif
  (void)sizeof(never_called(x));
  return behind_a_return(x);
  sassert(x == 8); // want vacuous assertion
}
