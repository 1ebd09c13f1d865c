/*
Behind a call whose contract contradicts what is known there no execution is left: what the program does then is not known.
flags: --entry main
verdict: unknown
*/
#include <unitproof.h>

int more(int x)
__CPROVER_ensures(__CPROVER_return_value > x);

int main(void) {
  int x = nd_int();
  if (x < 5)
    sassert(more(x) > x);
  if (x == 2147483647) {
    sassert(x > 0);
    more(x);
    sassert(0); // want unknown assertion
  }
  sassert(x < 2147483647); // want unknown assertion
  return 0;
}
