/*
Two mistakes: one shows at once, the other one only behind 77 elements. That the first one is known proves nothing of
the second one.
verdict: failed
obligations: 2
*/
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  size_t n = nd_size_t();
  assume(n <= 1000000);
  uint8_t *a = malloc(n);
  if (!a)
    return 0;
  for (size_t i = 0; i < n; i++)
    a[i] = i != 77;
  sassert(n != 3); // want failed assertion
  size_t k = nd_size_t();
  if (k < n)
    sassert(a[k] == 1); // want failed assertion
  free(a);
  return 0;
}
