/* The sentence and the trace of ambiguous-pointer; ambiguous_pointer.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char a[4], b[4];
  char *end = nd_bool() ? a + 4 : b + 4;
  ptrdiff_t n = end - a; // want failed ambiguous-pointer
  sassert(n <= 4);
}
