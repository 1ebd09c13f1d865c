#include <unitproof.h>
#include <string.h>
#include "utf8.h"
#ifndef N
#define N 4
#endif
/* a text is not longer when it was made valid */
int main(void) {
  char text[N + 1];
  memhavoc(text, N);
  text[N] = 0;
  size_t before = strlen(text);
  sassert(utf8makevalid(text, '?') == 0);
  sassert(strlen(text) <= before);
}
