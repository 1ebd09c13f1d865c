/*
No object is chosen for a result that may be any address: what is assumed of its object must not hide executions.
verdict: unknown
obligations: 1
*/
#include <unitproof.h>
char *skip(char *p)
__CPROVER_requires(__CPROVER_r_ok(p, 2))
__CPROVER_ensures(__CPROVER_r_ok(__CPROVER_return_value, 1));
int main(void) {
  char b[4] = {0};
  skip(b); // want unknown out-of-bounds-read
  sassert(b[0] == 1); // want unknown assertion // want unknown out-of-bounds-read // want unknown array-bounds
}
