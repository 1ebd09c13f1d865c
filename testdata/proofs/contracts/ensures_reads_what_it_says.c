/*
What a contract ensures is assumed at a call, whatever that reads: a string in an array that may hold anything. It accuses
nobody; that it has a value is checked where the function is proved.
verdict: proved
*/
#include <unitproof.h>
#include <string.h>

void name(char *s, unsigned n)
__CPROVER_requires(n > 0 && n <= 16 && __CPROVER_is_fresh(s, n))
__CPROVER_assigns(__CPROVER_object_upto(s, n))
__CPROVER_ensures(strlen(s) < n);

unsigned third(const unsigned *a, unsigned n)
__CPROVER_requires(n > 0 && __CPROVER_r_ok(a, n * sizeof *a))
__CPROVER_assigns()
__CPROVER_ensures(a[__CPROVER_return_value] % 3 == 0 && __CPROVER_return_value < n);

int main(void) {
  char s[16];
  name(s, sizeof s);
  sassert(strlen(s) < 16);
  unsigned a[4];
  memhavoc(a, sizeof a);
  unsigned i = third(a, 4);
  sassert(i < 4 && a[i] % 3 == 0);
  return 0;
}
