/*
goto-cc takes static behind a declaration without it, a variable that is called like a parameter, and assignments to
const members. Objects that are const stay so.
verdict: failed
obligations: 8
*/
#include <assert.h>

struct entry {
  int *const target;
  const int key;
  const char *name;
};

int nondet_int(void);
int twice(int x);
static int twice(int x) { return 2 * x; }

static int hidden(const int *const p, int n) {
  int *p = &n;
  *p = *p + 1;
  return n;
}

static const struct entry fixed = {0, 4, "four"};

int main(void) {
  int x = nondet_int();
  __CPROVER_assume(0 <= x && x < 100);
  struct entry e = {0, 0, 0};
  e.target = &x;
  e.key = twice(x);
  assert(*e.target * 2 == e.key);
  assert(hidden(0, x) == x + 1);
  assert(e.key != 8); // want failed assertion
  assert(fixed.key == 4);
  *(int *)&fixed.key = 5; // want failed read-only-write
  return 0;
}
