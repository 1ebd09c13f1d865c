/*
 * verdict: unknown
 *
 * A function without a body that was given a pointer to const may keep it, and later write to what is stored there.
 */
#include <unitproof.h>

void keep(int *const *);
void work(void);
static int *slot;

int main(void) {
  int x = 0;
  keep(&slot);
  slot = &x;
  x = 1;
  work();
  sassert(x == 1); // want unknown assertion
}
