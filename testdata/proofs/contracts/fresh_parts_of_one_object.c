/*
Two parts of one array are no two objects, for a contract that asks which objects they are.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
void g(int *a, int *b)
__CPROVER_requires(__CPROVER_is_fresh(a, sizeof *a) && __CPROVER_is_fresh(b, sizeof *b))
__CPROVER_assigns(*a, *b)
__CPROVER_ensures(*a == 1 && *b == 2 && !__CPROVER_same_object(a, b));
int main(void) {
  int x[2];
  g(&x[0], &x[1]); // want failed precondition
  return 0;
}
