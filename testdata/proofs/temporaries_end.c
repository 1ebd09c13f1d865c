/*
 * verdict: failed
 *
 * A struct that a function returns ends with the full expression in which it was returned (C11 6.2.4p8), in each iteration anew; until
 * then it may be used, also through a pointer that was kept on the way.
 */
#include <stddef.h>
#include <unitproof.h>

struct small {
  int a[2];
};
struct large {
  int a[10];
};

static struct small small(int x) { return (struct small){{x, 2}}; }
static struct large large(int x) { return (struct large){{x, 2}}; }

static const int *kept;
static int keep(const int *p) {
  kept = p;
  return *p;
}

static int inside(void) {
  const int *p;
  int sum = keep(small(1).a) + keep(large(2).a);
  for (int i = 0; i < 3; i++) {
    sum += keep(large(i).a);
    if ((p = small(i).a) && *p == i) sum++;
  }
  sum += keep((nd_bool() ? small(1) : small(3)).a);
  int last = (p = large(7).a, p[0]);
  return sum + last;
}

static int of_an_iteration(void) {
  const int *p = NULL;
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    if (i == 2)
      sum += *p; // want failed use-after-scope
    p = small(i).a;
  }
  return sum;
}

int main(void) {
  switch (nd_int()) {
    case 0: {
      int r = inside();
      sassert(r == 17 || r == 19);
      break;
    }
    case 1: {
      const int *p = large(1).a;
      return p[1]; // want failed use-after-scope
    }
    case 2:
      keep(small(1).a);
      return *kept; // want failed use-after-scope
    case 3: return of_an_iteration();
    case 4:
      keep((nd_bool() ? large(1) : large(2)).a);
      return *kept; // want failed use-after-scope
  }
  return 0;
}
