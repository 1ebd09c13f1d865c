/*
A call leaves what the contract does not name, and of what it names only that is known which it ensures.
verdict: failed
flags: --entry main
obligations: 1
*/
#include <unitproof.h>
int h1, h2;
void g(void)
__CPROVER_assigns(h1)
__CPROVER_ensures(h1 >= 3)
{
  h1 = 3;
}
int main(void) {
  h2 = 7;
  g();
  sassert(h1 >= 3);
  sassert(h2 == 7);
  sassert(h1 == 3); // want failed assertion
}
