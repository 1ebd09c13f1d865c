/* The sentence and the trace of invalid-free; invalid_free.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *text = malloc(8);
  if (text == NULL)
    return 1;
  size_t skip = nd_size_t();
  assume(skip < 8);
  text += skip;
  free(text); // want failed invalid-free
}
