/*
 * verdict: unknown
 *
 * Two results of functions without a body may point into different objects.
 */
#include <unitproof.h>

int *first(void);
int *second(void);

int main(void) {
  int *p = first(), *q = second();
  sassert(p == p); // want proved assertion
  return p < q; // want unknown ambiguous-pointer
}
