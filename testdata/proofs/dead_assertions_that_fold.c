/*
An assertion that no execution reaches is vacuous whatever its condition comes to by what is known of its variables there: x is at least
4, so x == 1 folds to false, and x > 2 to true. Only one that was written as the constant false says that nothing leads there.
verdict: vacuous
*/
#include <assert.h>
#include <stdlib.h>
#include <unitproof.h>

extern void reach_error(void);

#define CHECK(c) ((c) ? (void)0 : __assert_fail(#c, __FILE__, __LINE__, __func__))

static void helper(int x) { assert(x == 1); } // want vacuous assertion

static void callback(int x) { assert(x == 1 || x == 3); } // want vacuous assertion

static void fails(void) { assert(0); } // want proved assertion

int main(void) {
  void (*f)(int) = callback;
  int x = nd_int();
  assume(x > 3);
  if (x < 2) {
    assert(x == 1); // want vacuous assertion
    assert(x > 2);  // want vacuous assertion
    CHECK(x == 1);  // want vacuous assertion
    sassert(x == 1); // want vacuous assertion
    assert(x == 1 && x == nd_int()); // want vacuous assertion
    helper(x);
    f(x);
  }
  x < 1 ? assert(x == 1) : (void)0; // want vacuous assertion
  (void)(x < 1 && (CHECK(x == 0), 1)); // want vacuous assertion
  switch (x & 1) {
  case 0:
  case 1:
    break;
  case 2:
    assert(x == 2); // want vacuous assertion
    break;
  default:
    assert(0); // want proved assertion
  }
  for (int i = 0; i < x && x < 3; i++)
    assert(i == 1); // want vacuous assertion
  while (x < 0)
    CHECK(!"never"); // want proved assertion
  if (x < 2) {
    assert(0); // want proved assertion
    sassert(0);
  } else if (x < 3) {
    if (nd_bool())
      assert(!"no way leads here"); // want proved assertion
    if (nd_bool())
      reach_error(); // want proved assertion
    if (nd_bool())
      fails();
  }
  return 0;
}
