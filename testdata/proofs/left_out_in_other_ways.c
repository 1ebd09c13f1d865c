/*
What clang leaves out is found whatever stands around it: macros, branches of #if, functions that only dead code calls, dialects, and
another file that has code at the same line and column. What is no code at all is not left out.
verdict: vacuous
*/
#include <assert.h>
#include <stddef.h>
#include <unitproof.h>
#include "headers/left_out.h"

#define MORE 1
#define CHECK(x) do { sassert((x) > 0); } while (0)
#define CHECK_NOTHING(x) ((void)(x))
#define BOTH(x) CHECK(x); CHECK((x) + 1)
#define NOWHERE() assert(!"nobody gets here")
#define ONLY_IF(c, s) if (c) s
#define PROOF(name) static void name(int x)
#define HERE sassert(x == 2)

extern void __CPROVER_precondition(_Bool, const char *);

static inline void helper(int x) { sassert(x == 1); } // want vacuous assertion

void of_helper(int x) {
  helper(x);
  assert(x == 2); // want vacuous assertion
}

static void not_called(int x) { sassert(x == 1); }

PROOF(made_by_a_macro) {
  if (0)
    sassert(x == 3); // want vacuous assertion
}

static int is_called(int x) {
  sassert(x == x); // want proved assertion
  return x;
}

int main(void) {
  int x = nd_int();
  made_by_a_macro(x);
  if (0) {
    CHECK(x); // want vacuous assertion
    BOTH(x);  // want vacuous assertion
    CHECK_IN_HEADER(x); // want vacuous assertion
    CHECK_NOTHING(x);
    NOWHERE();
    HERE; // want vacuous assertion
    of_helper(x);
    is_called(x);
  }
#if MORE
  if (0) sassert(x == 4); // want vacuous assertion
#else
  if (0) sassert(x == 5);
#endif
  if (0) __CPROVER_precondition(x == 6, "reads"); // want vacuous assertion
  ONLY_IF(0, sassert(x == 7)); // want vacuous assertion
  ONLY_IF(1, sassert(x == x)); // want proved assertion
  for (; 0;) sassert(x == 8); // want vacuous assertion
  while (0) { assert(x == 9); } // want vacuous assertion
  0 && (sassert(x == 10), 1); // want vacuous assertion
  1 || (CHECK_EXPRESSION(x == 11), 1); // want vacuous assertion
  switch (sizeof(int)) {
  case 8: sassert(x == 12); // want vacuous assertion
  }
  if (0) sassert(x == 13); sassert(x == x); // want vacuous assertion // want proved assertion
  __builtin_choose_expr(1, sassert(x == x), sassert(x == 14)); // want proved assertion
  _Generic(x, int: sassert(x == x), char: sassert(x == 15)); // want proved assertion
  assert(sizeof(int) == 4);
  CHECK_EXPRESSION(1);
  return same_place(is_called(x));
}
