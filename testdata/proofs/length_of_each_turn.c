/*
The length of a string that changes while the loop goes on: those that were stored are of their iterations.
verdict: failed
obligations: 2
*/
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

#define N 40
static char s[N];

int main(void) {
  memhavoc(s, N);
  s[N - 1] = 0;
  unsigned n = nd_uint();
  assume(n < 1000000);
  size_t *a = malloc(n * sizeof *a);
  if (!a)
    return 0;
  for (unsigned i = 0; i < n; i++) {
    size_t l = strlen(s);
    if (i > 70)
      sassert(a[0] == l); // want failed assertion
    a[i] = l;
    if (i == 68)
      s[l / 2] = 0;
  }
  free(a);
  return 0;
}
