/* The sentence and the trace of invalid-pointer; invalid_pointer.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *p = nd_voidp();
  assume(p != NULL);
  *p = 1; // want failed invalid-pointer
}
