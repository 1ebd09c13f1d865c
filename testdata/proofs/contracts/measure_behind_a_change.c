/*
A measure is taken before the condition of a loop, which may change it: also in the first iteration. A loop that is not
entered asks for no measure.
verdict: failed
obligations: 30
*/
#include <stddef.h>
#include <unitproof.h>

void counted_in_the_condition_proof(void) {
  unsigned i = 5, max = nd_uint(), k = 0;
  assume(max < 1000);
  while (i++ < max)
  __CPROVER_assigns(i, k)
  __CPROVER_loop_invariant(i <= max)
  __CPROVER_decreases(max - i)
  {
    k += 2;
  }
  sassert(k != 6); // want failed assertion
}

void assigned_in_brackets_proof(void) {
  unsigned left = nd_uint(), now = 0, k = 0;
  assume(left < 1000);
  while ((left = left - (left > 0)) > 0)
  __CPROVER_assigns(left, k)
  __CPROVER_decreases(left)
  {
    k += 2;
  }
  sassert(k != 6); // want failed assertion
  sassert(now == 0);
}

void does_not_fall_proof(void) {
  unsigned i = 0, k = 0;
  while (k++ < 3)
  __CPROVER_assigns(i, k)
  __CPROVER_decreases(i) // want failed loop-variant
  {
  }
}

struct box { unsigned n; };

static int positive(const struct box *p) { return p->n > 0; }

void not_entered_proof(void) {
  struct box *p = NULL;
  unsigned k = nd_uint();
  while (p != NULL && positive(p))
  __CPROVER_assigns(k)
  __CPROVER_decreases(p->n)
  {
    k++;
  }
  sassert(k != 7); // want failed assertion
}
