/*
A text is reversed in place; from the hundredth byte on the end of it is overwritten.
verdict: failed
obligations: 1
*/
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  size_t n = nd_size_t();
  assume(n < SIZE_MAX / 2);
  char *s = malloc(n + 1);
  if (!s)
    return 0;
  s[n] = 0;
  size_t i = 0, j = n;
  while (i < j) {
    j--;
    char c = s[i];
    s[i] = s[j];
    s[i < 100 ? j : n] = c;
    i++;
  }
  sassert(s[n] == 0); // want failed assertion
  free(s);
  return 0;
}
