/*
 * verdict: failed
 * obligations: 4
 *
 * Which of several elements that compare equal bsearch finds is not specified (C11 7.22.5.1).
 */
#include <stdlib.h>
#include <unitproof.h>

static int by_value(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

int main(void) {
  int a[4] = {1, 3, 3, 7}, key = nd_int();
  int *p = bsearch(&key, a, 4, sizeof *a, by_value);
  sassert((p != NULL) == (key == 1 || key == 3 || key == 7));
  if (p != NULL) {
    sassert(*p == key);
    if (key == 7) sassert(p == a + 3);
    sassert(p != a + 1); // want failed assertion
    sassert(p != a + 2); // want failed assertion
  }
}
