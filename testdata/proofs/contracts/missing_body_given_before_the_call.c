/*
 * verdict: unknown
 *
 * A contract holds for all callers. Those may have given a function without a body, before the call, the address of any
 * variable that is there: of a static one, and of what the contract requires.
 */
#include <unitproof.h>

int counter;
void work(void);
void keep(int *);

void step(void)
__CPROVER_assigns()
__CPROVER_ensures(1)
{
  work(); // want unknown assigns
}

void set(int *p)
__CPROVER_requires(__CPROVER_is_fresh(p, sizeof *p))
__CPROVER_assigns(*p)
__CPROVER_ensures(*p == 1) // want unknown postcondition
{
  *p = 1;
  work(); // want unknown assigns
}

int main(void) {
  int x = 0;
  keep(&x);
  counter = 1;
  step();
  set(&x);
  sassert(counter == 1); // want proved assertion
}
