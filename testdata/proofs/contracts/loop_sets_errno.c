/*
A loop whose calls set errno, with a frame that is written, and without: what follows knows nothing of it. Cut, the loop hides no late
iteration: no assertion holds. They are far behind what is unrolled, and executed.
verdict: failed
obligations: 3
*/
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unitproof.h>
int allocates_proof(void) {
  errno = 0;
  unsigned n = nd_uint();
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(i <= n)
  {
    if (i > 2000) free(malloc(4));
  }
  sassert(errno == 0); // want failed assertion
  return 0;
}
int prints_proof(void) {
  errno = 0;
  unsigned n = nd_uint();
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(i <= n)
  {
    if (i > 2000) puts("x");
  }
  sassert(errno == 0); // want failed assertion
  return 0;
}
int framed_proof(void) {
  errno = 0;
  unsigned n = nd_uint(), i = 0;
  while (i < n)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= n)
  {
    if (i > 2000) free(malloc(4));
    i++;
  }
  sassert(errno == 0); // want failed assertion
  return 0;
}
