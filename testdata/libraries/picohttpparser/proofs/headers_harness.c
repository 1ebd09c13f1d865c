#include <unitproof.h>
#include <stdlib.h>
#include "picohttpparser.h"
#ifndef N
#define N 8
#endif
/* headers lie in what they were parsed from, and a name or a value has no end of line */
int main(void) {
  size_t len = nd_size_t();
  assume(len <= N);
  char *text = malloc(len);
  assume(text != NULL);
  memhavoc(text, len);
  size_t n = 2;
  struct phr_header headers[2];
  int r = phr_parse_headers(text, len, headers, &n, 0);
  sassert(r == -1 || r == -2 || (0 < r && (size_t)r <= len));
  sassert(n <= 2);
  if (r > 0 && n > 0) {
    size_t i = nd_size_t(), k = nd_size_t();
    assume(i < n && k < headers[i].value_len);
    sassert(text <= headers[i].value && headers[i].value + headers[i].value_len <= text + len);
    sassert(headers[i].value[k] != '\n');
  }
  free(text);
}
