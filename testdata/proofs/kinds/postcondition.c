/* The sentence and the trace of postcondition; postcondition.txt holds them.
verdict: failed
flags: --contract half
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int half(int x)
__CPROVER_ensures(__CPROVER_return_value <= x) // want failed postcondition
{
  return x / 2;
}
