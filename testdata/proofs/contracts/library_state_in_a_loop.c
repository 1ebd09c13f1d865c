/*
 * A loop that is cut by its contract is taken to leave alone what the C library keeps. This one does not, so that only
 * unrolling tells.
 * verdict: unknown
 */
#include <string.h>
#include <unitproof.h>

int main(void) {
  struct { char text[6]; unsigned i; char *item; } s = {"a,b,c", 0, NULL};
  s.item = strtok(s.text, ",");
  unsigned n = nd_uint();
  assume(n <= 2);
  while (s.i < n)
  __CPROVER_assigns(s) // want unknown out-of-bounds-write
  __CPROVER_loop_invariant(s.i <= n)
  {
    s.item = strtok(NULL, ",");
    s.i++;
  }
  sassert(n == 0 || s.item == s.text + 2 * n); // want proved assertion
  sassert(n < 2 || strtok(NULL, ",") == NULL); // want proved assertion
}
