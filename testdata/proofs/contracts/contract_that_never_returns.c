/*
A contract that ensures what is written as false says that the function does not return. One that calls itself for ever
keeps each contract, so that what follows the call is not known.
flags: --entry main
verdict: unknown
*/
#include <unitproof.h>

void stop(void)
__CPROVER_ensures(0);

int deep(int n)
__CPROVER_assigns()
__CPROVER_ensures(n <= 0)
{
  return n > 0 ? deep(n) : 0;
}

int main(void) {
  int n = nd_int();
  if (n < 0)
    stop();
  sassert(n >= 0);
  if (n > 5)
    deep(n);
  sassert(n <= 5); // want unknown assertion
  return 0;
}
