/*
 * verdict: failed
 * obligations: 11
 *
 * Two addresses joined by exclusive or, as in a list that is linked both ways by one word: either leads to the other
 * object, which can be written and freed there.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  int *a = malloc(4), *b = malloc(8);
  assume(a && b);
  uintptr_t link = (uintptr_t)a ^ (uintptr_t)b;
  int *back = (int *)(link ^ (uintptr_t)a);
  sassert(back == b); // want proved assertion
  *back = 3;
  sassert(*b == 3); // want proved assertion
  free(back);
  sassert(nd_int() != 5); // want failed assertion
  free(a);
  return 0;
}
