/* The sentence and the trace of double-free; double_free.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

static bool parse(char *text, bool fail) {
  if (fail) {
    free(text);
    return false;
  }
  return true;
}

int main(void) {
  char *text = malloc(4);
  bool ok = parse(text, nd_bool());
  sassert(ok || !ok);
  free(text); // want failed double-free
}
