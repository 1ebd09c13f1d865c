/*
The frame names two members of a structure, and the loop writes the third.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
struct t {
  int a, b, c;
};
int main(void) {
  struct t t = {1, 2, 3};
  unsigned n = nd_uint(), i = 0;
  while (i < n)
  __CPROVER_assigns(i, t.a, t.c)
  __CPROVER_loop_invariant(i <= n)
  {
    t.b = 5; // want failed assigns
    i++;
  }
  return t.b;
}
