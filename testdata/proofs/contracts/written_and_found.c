/* verdict: proved
   Loops with a written invariant beside loops whose invariants are found: one after the other, and one in the other. */
#include <stdlib.h>

#include <unitproof.h>

static unsigned char *some_bytes(unsigned n) {
  assume(n <= 100000);
  unsigned char *s = malloc(n);
  assume(s != NULL);
  return s;
}

void one_after_the_other_proof(void) {
  unsigned n = nd_uint(), k = 0, w = 0;
  unsigned char *s = some_bytes(n);
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(i <= n && k <= i)
    if (nd_bool())
      k++;
  for (unsigned i = 0; i < k; i++)
    if (nd_bool())
      s[w++] = 1;
  sassert(w <= n);
}

void found_inside_proof(void) {
  unsigned n = nd_uint();
  unsigned char *s = some_bytes(n);
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(i <= n)
    for (unsigned j = 0; j < i; j++)
      s[j] = s[i - 1 - j];
}

void written_inside_proof(void) {
  unsigned n = nd_uint(), i = 0;
  unsigned char *s = some_bytes(n);
  while (i < n) {
    unsigned w = 0;
    for (unsigned j = i; j < n; j++)
    __CPROVER_loop_invariant(i <= j && j <= n && w <= j - i)
      if (nd_bool())
        w++;
    sassert(w <= n - i);
    s[i] = 1;
    i++;
  }
}

void elements_proof(void) {
  unsigned n = nd_uint(), k = nd_uint();
  unsigned char *s = some_bytes(n);
  assume(k < n);
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(i <= n && __CPROVER_forall { unsigned m; m < i ==> s[m] == 0 })
    s[i] = 0;
  for (unsigned i = 0; i < n; i++)
    s[i]++;
  sassert(s[k] == 1);
}
