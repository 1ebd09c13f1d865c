#include <unitproof.h>
#include <string.h>
#include "utf8.h"
#ifndef N
#define N 8
#endif
/* utf8ncpy fills n bytes, and cuts no character in two */
int main(void) {
  char from[N + 1], to[N];
  memhavoc(from, N);
  from[N] = 0;
  assume(utf8valid(from) == NULL);
  size_t n = nd_size_t();
  assume(0 < n && n <= N);
  utf8ncpy(to, from, n);
  size_t k = nd_size_t();
  assume(k < n);
  sassert(to[k] == from[k] || to[k] == 0);
}
