/*
 * verdict: unknown
 *
 * What a function without a body returns may point to a variable that the contract does not name.
 */
#include <unitproof.h>

int counter;
int *get(void);
void put(int *);

void step(void)
__CPROVER_assigns()
__CPROVER_ensures(1)
{
  int *p = get(); // want unknown assigns
  put(p); // want unknown assigns
}

int main(void) {
  counter = 1;
  step();
  sassert(counter == 1); // want proved assertion
}
