#include <unitproof.h>
#include <stdlib.h>
#include <string.h>
#include "base64.h"
#ifndef N
#define N 6
#endif
/* the text has the length that was told, and no other characters than it may have */
int main(void) {
  BYTE in[N];
  memhavoc(in, N);
  size_t n = nd_size_t();
  assume(0 < n && n <= N);
  size_t len = base64_encode(in, NULL, n, 0);
  BYTE *text = malloc(len);
  assume(text != NULL);
  sassert(base64_encode(in, text, n, 0) == len);
  size_t k = nd_size_t();
  assume(k < len);
  BYTE c = text[k];
  sassert((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
          (c == '=' && k + 2 >= len));
  free(text);
}
