#include <unitproof.h>
#include <stdlib.h>
#include "picohttpparser.h"
#ifndef N
#define N 8
#endif
/* chunks that come in one piece */
int main(void) {
  size_t len = nd_size_t();
  assume(len <= N);
  char *text = malloc(len);
  assume(text != NULL);
  memhavoc(text, len);
  struct phr_chunked_decoder decoder = {0};
  decoder.consume_trailer = nd_bool();
  size_t n = len;
  ssize_t r = phr_decode_chunked(&decoder, text, &n);
  sassert(r >= -2);
  sassert(n <= len);
  if (r >= 0)
    sassert((size_t)r + n <= len);
  free(text);
}
