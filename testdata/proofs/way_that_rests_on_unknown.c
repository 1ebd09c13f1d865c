/*
A further iteration, or a deeper recursion, is left out because an assertion is taken to hold. If
that is unknown, so is everything on the way that was left out.
verdict: unknown
obligations: 4
*/
#include <unitproof.h>

void change(int *p);

static int depth(int n) {
  if (n <= 0)
    return 0;
  int r = depth(n - 1); // want unknown signed-overflow
  sassert(r < 3); // want unknown assertion
  return r + 1; // want unknown signed-overflow
}

int main(void) {
  int n = 3, a[3];
  change(&n);
  sassert(n <= 3); // want unknown assertion
  int *p = a;
  for (int i = 0; i < n; i++) { // want unknown signed-overflow
    p[i] = 0; // want unknown out-of-bounds-write
  }
  sassert(depth(n) <= 3); // want unknown assertion
  return 0;
}
