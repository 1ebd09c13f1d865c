/* The sentence and the trace of precondition; precondition.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int half(int x)
__CPROVER_requires(x >= 0)
__CPROVER_ensures(__CPROVER_return_value <= x);

int main(void) {
  int x = nd_int();
  return half(x); // want failed precondition
}
