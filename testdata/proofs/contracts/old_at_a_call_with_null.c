/*
A call with NULL reads no old value; one with a variable does.
flags: --entry main
verdict: failed
*/
#include <stddef.h>
#include <unitproof.h>

void step(int *p, size_t n)
__CPROVER_requires(n == 0 || __CPROVER_is_fresh(p, sizeof *p))
__CPROVER_assigns(n != 0: *p)
__CPROVER_ensures(n == 0 || *p == (__CPROVER_old(*p) ^ 1));

int main(void) {
  int a = 6;
  step(NULL, 0);
  sassert(a == 6);
  step(&a, 1);
  sassert(a == 7);
  step(&a, 0);
  sassert(a == 7);
  step(NULL, 1); // want failed precondition
  sassert(a == 7);
  return 0;
}
