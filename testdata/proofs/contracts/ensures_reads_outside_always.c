/*
A contract whose words have a value in no state of the call describes none: what follows is not looked at, and unknown.
verdict: unknown
*/
#include <unitproof.h>

char g[1];

void set(char *s)
__CPROVER_requires(__CPROVER_is_fresh(s, 1))
__CPROVER_assigns()
__CPROVER_ensures(s[3] == 0);

int main(void) {
  set(g);
  sassert(0 == 1); // want unknown assertion
  return 0;
}
