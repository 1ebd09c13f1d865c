/* What a call returned keeps states apart up to the branch that looks at it. Nothing else is executed for each outcome,
   and nothing is counted: neither a recursion behind a call whose outcome is looked at later, nor a loop that goes on for
   several outcomes.
verdict: proved
*/
#include <assert.h>
#include <unitproof.h>

static unsigned failures;

static int lock(unsigned i, unsigned x) {
  unsigned held = i;
  {
    unsigned other = x + i;
    if (other == 3) return -1;
    if (other == 4) return -2;
  }
  held++;
  return held > i ? 0 : -3;
}

static void nested(unsigned i, unsigned x) {
  if (i == 15) return;
  int outcome = lock(i, x);
  nested(i + 1, x);
  if (outcome < 0) failures++;
}

static int step(int i, unsigned x, int n) {
  if (i >= n) return 0;
  switch ((x + (unsigned)i) % 3) {
  case 0: return 1;
  case 1: return 2;
  }
  return 3;
}

static int put(int *to, int v) {
  int before = *to;
  for (int k = 0; k < 3; k++) {
    int limit = v + k;
    *to = limit;
    if (limit == 100) return -1;
    if (limit == 50) break;
    if (limit == 20) goto restore;
  }
  *to = 7;
  return 0;
restore:
  *to = before;
  return -2;
}

// What is false as a constant is excluded where this is asserted; the assertion is reached nevertheless.
static _Bool in_range(int v) {
  {
    int low = v;
    if (low <= -1000) return 0;
  }
  return v < 1000;
}

int main(void) {
  unsigned x = nd_unsigned();
  nested(0, x);
  sassert(failures <= 2);

  int n = nd_int(), i = 0;
  assume(n >= 1 && n <= 30);
  do i++;
  while (step(i, x, n));
  sassert(i == n);

  int kept = 1, v = nd_int();
  assume(v > -1000 && v < 1000);
  assert(in_range(v));
  int outcome = put(&kept, v);
  if (outcome == 0) sassert(kept == 7);
  if (outcome == -1) sassert(kept == 100);
  if (put(&kept, v) == -2) sassert(kept == 1 && outcome == -2);
}
