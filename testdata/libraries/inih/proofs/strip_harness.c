#include <unitproof.h>
#include <ctype.h>
#include <string.h>
#include "ini.c"
#ifndef N
#define N 8
#endif
/* what is left of a text has no space at its ends, and a copy that is cut ends with zero */
int main(void) {
  char text[N + 1], copy[4];
  memhavoc(text, N);
  text[N] = 0;
  char *start = ini_rstrip(ini_lskip(text), text + strlen(text));
  size_t n = strlen(start);
  sassert(start + n <= text + N);
  if (n > 0)
    sassert(!isspace((unsigned char)start[0]) && !isspace((unsigned char)start[n - 1]));
  ini_strncpy0(copy, start, sizeof copy);
  sassert(strlen(copy) == (n < 4 ? n : 3));
}
