/*
 * verdict: failed
 *
 * bsearch compares as often as halving takes, also where it has found one of several equal elements and goes on to another one.
 */
#include <stdlib.h>
#include <unitproof.h>

static int calls;

static int by_value(const void *a, const void *b) {
  calls++;
  return *(const int *)a - *(const int *)b;
}

int main(void) {
  int a[7] = {1, 3, 3, 3, 3, 5, 7}, key = nd_int();
  assume(key >= 0 && key < 10);
  int *p = bsearch(&key, a, 7, sizeof *a, by_value);
  sassert(calls <= 3);
  sassert((p != NULL) == (key == 1 || key == 3 || key == 5 || key == 7));
  if (key == 3) {
    switch (nd_int()) {
      case 1:
        sassert(p != a + 1); // want failed assertion
        break;
      case 2:
        sassert(p != a + 2); // want failed assertion
        break;
      case 3:
        sassert(p != a + 3); // want failed assertion
        break;
      case 4:
        sassert(p != a + 4); // want failed assertion
        break;
      case 5:
        sassert(calls < 3); // want failed assertion
        break;
      default: sassert(p >= a + 1 && p <= a + 4);
    }
  }
  return 0;
}
