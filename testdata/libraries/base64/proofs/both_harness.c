#include <unitproof.h>
#include <string.h>
#include "base64.h"
#ifndef N
#define N 3
#endif
/* what was encoded is decoded again */
int main(void) {
  BYTE in[N], text[N * 2 + 4], out[N + 2];
  memhavoc(in, N);
  size_t n = nd_size_t();
  assume(0 < n && n <= N);
  size_t len = base64_encode(in, text, n, 0);
  sassert(len <= sizeof text);
  size_t m = base64_decode(text, out, len);
  sassert(m == n);
  size_t k = nd_size_t();
  assume(k < n);
  sassert(out[k] == in[k]);
}
