/* The sentence and the trace of invalid-builtin; invalid_builtin.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned flags = nd_uint();
  sassert(__builtin_ctz(flags) < 32); // want failed invalid-builtin
}
