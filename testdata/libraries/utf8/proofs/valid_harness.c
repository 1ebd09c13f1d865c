#include <unitproof.h>
#include <stdlib.h>
#include <string.h>
#include "utf8.h"
#ifndef N
#define N 4
#endif
/* a text that is valid has as many characters as it has bytes that begin one */
int main(void) {
  size_t len = nd_size_t();
  assume(len <= N);
  char *text = malloc(len + 1);
  assume(text != NULL);
  memhavoc(text, len);
  text[len] = 0;
  if (utf8nvalid(text, len) == NULL) {
    size_t n = strlen(text), characters = 0;
    for (size_t i = 0; i < n; i++)
      characters += (text[i] & 0xc0) != 0x80;
    sassert(utf8nlen(text, n) == characters);
  }
  free(text);
}
