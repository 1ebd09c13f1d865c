/*
That the first write is inside depends on ext; that the second one is rests on it, and the
assertion on both.
verdict: unknown
obligations: 3
*/
#include <unitproof.h>

void ext(int *p);
static int a[4];

int main(void) {
  int x = 1;
  ext(&x);
  int *p = a;
  p[x] = 1; // want unknown out-of-bounds-write
  p[x] = 2; // want unknown out-of-bounds-write
  sassert(x >= 0 && x < 4); // want unknown assertion
  return 0;
}
