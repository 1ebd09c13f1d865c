/* The sentence and the trace of memory-leak; memory_leak.txt holds them.
verdict: failed
flags: --check memory-leak
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

static char *current;

static void replace(char *text) {
  if (text != NULL && text[0] != 0) {
    free(current);
    current = text;
  }
}

int main(void) {
  char *text = malloc(2); // want failed memory-leak
  if (text != NULL) {
    text[0] = nd_char();
    replace(text);
  }
  free(current);
  current = NULL;
}
