/* verdict: failed
   Violations in loops with a written invariant beside loops whose invariants are found: each proof is like one of
   written_and_found.c that holds, and wrong after some iterations. */
#include <stdlib.h>

#include <unitproof.h>

static unsigned char *some_bytes(unsigned n) {
  assume(n <= 100000);
  unsigned char *s = malloc(n);
  assume(s != NULL);
  return s;
}

void written_is_wrong_proof(void) {
  unsigned n = nd_uint(), k = 0, w = 0;
  assume(n <= 8);
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(i <= n && k <= 3) // want failed loop-invariant
    k++;
  for (unsigned i = 0; i < k; i++)
    w++;
  sassert(w <= 8);
}

void written_inside_changes_proof(void) {
  unsigned n = nd_uint(), t = 0;
  assume(n <= 8);
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < i; j++)
    __CPROVER_loop_invariant(j <= i && t <= 4)
      if (t < 4)
        t++;
  sassert(t < 4); // want failed assertion
}

void other_elements_proof(void) {
  unsigned n = nd_uint(), k = nd_uint();
  unsigned char *s = some_bytes(n);
  assume(n <= 8 && k < n);
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(i <= n && __CPROVER_forall { unsigned m; m < i ==> s[m] == 0 })
    s[i] = 0;
  for (unsigned i = 0; i < n; i++)
    if (i != 5)
      s[i]++;
  sassert(s[k] == 1); // want failed assertion
}
