#include <unitproof.h>
#include <stdlib.h>
#include "picohttpparser.h"
#ifndef N
#define N 8
#endif
static int within(const char *p, size_t n, const char *text, size_t len) {
  return text <= p && n <= len && p + n <= text + len;
}

/* what is parsed of a request lies in it */
int main(void) {
  size_t len = nd_size_t(), last = nd_size_t();
  assume(len <= N && last <= len);
  char *text = malloc(len);
  assume(text != NULL);
  memhavoc(text, len);
  const char *method, *path;
  size_t method_len, path_len, headers_n = 4;
  int minor;
  struct phr_header headers[4];
  int r = phr_parse_request(text, len, &method, &method_len, &path, &path_len, &minor, headers, &headers_n, last);
  sassert(r == -1 || r == -2 || (0 < r && (size_t)r <= len));
  sassert(headers_n <= 4);
  if (r > 0) {
    sassert(within(method, method_len, text, len) && within(path, path_len, text, len));
    sassert(0 <= minor && minor <= 9);
  }
  free(text);
}
