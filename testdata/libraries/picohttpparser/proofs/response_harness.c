#include <unitproof.h>
#include <stdlib.h>
#include "picohttpparser.h"
#ifndef N
#define N 8
#endif
/* what is parsed of a response lies in it */
int main(void) {
  size_t len = nd_size_t();
  assume(len <= N);
  char *text = malloc(len);
  assume(text != NULL);
  memhavoc(text, len);
  const char *message;
  size_t message_len, n = 2;
  int minor, status;
  struct phr_header headers[2];
  int r = phr_parse_response(text, len, &minor, &status, &message, &message_len, headers, &n, 0);
  sassert(r == -1 || r == -2 || (0 < r && (size_t)r <= len));
  sassert(n <= 2);
  if (r > 0) {
    sassert(0 <= status && status <= 999);
    sassert(text <= message && message + message_len <= text + len);
  }
  free(text);
}
