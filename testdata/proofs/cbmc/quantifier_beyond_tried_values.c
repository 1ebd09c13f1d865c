/* verdict: unknown
   A model satisfies a quantifier at the values that are tried, and an execution evaluates it for all. If it does not
   hold there, the verdict says so, and not that the engine is wrong. */
#include <assert.h>

unsigned char a[300][2];

void far_row_harness(void) {
  __CPROVER_havoc_object(a);
  __CPROVER_assume(__CPROVER_forall { unsigned i; i < 300 ==> __CPROVER_forall { unsigned j; j < 2 ==> a[i][j] <= 5 } });
  assert(a[280][1] == 3);  // want unknown assertion
  assert(a[299][0] <= 5);
}
