/*
A function without a body may write a static variable through global pointers that nothing
here uses, also in several steps.
verdict: unknown
obligations: 3
*/
#include <unitproof.h>

static int seen = 1, hidden = 1, far = 1;
int *way_in = &seen;
static struct {
  int *p;
} step = {&far};
void *way_to_step[2] = {0, &step};
void ext(void);

int main(void) {
  ext();
  sassert(hidden == 1);
  sassert(seen == 1); // want unknown assertion
  sassert(far == 1);  // want unknown assertion
  return 0;
}
