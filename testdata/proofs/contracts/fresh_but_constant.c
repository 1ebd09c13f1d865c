/*
What a contract assigns can be written.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
void g(char *a)
__CPROVER_requires(__CPROVER_is_fresh(a, 3))
__CPROVER_assigns(a[0]);
int main(void) {
  g((char *)"abc"); // want failed read-only-write
  return 0;
}
