// verdict: failed
// obligations: 12
//
// A pointer of arbitrary value is the address of a function where an assumption or a condition says so, and may be called then; what
// it may be beside that is no valid call.
#include <unitproof.h>

extern void *nd_pointer(void);
extern int elsewhere(int x);

struct operations {
  int (*next)(int);
  int (*count)(int);
  int (*odd)(int);
  void (*done)(int *);
};

static struct operations ops;

static int increment(int x) { return x + 1; }
static int decrement(int x) { return x - 1; }
static int sum(int x, int y) { return x + y; }
static void five(int *p) { *p = 5; }

// Calls itself through the pointer that it was called through.
static int length(int x) { return x <= 0 ? 0 : 1 + ops.count(x - 1); }

int main(void) {
  int (*f)(int) = (int (*)(int))nd_pointer();
  assume(f == &increment);
  sassert(f(3) == 4);

  memhavoc(&ops, sizeof ops);
  assume(ops.next == increment || ops.next == decrement);
  assume(ops.done == NULL || ops.done == five);
  assume(ops.count == length);
  int r = ops.next(3);
  sassert(r == 4 || r == 2);
  if (ops.next == increment)
    sassert(r == 4);
  else
    sassert(r == 4); // want failed assertion

  int k = 0;
  if (ops.done)
    ops.done(&k);
  sassert(k == 0 || k == 5);
  sassert(ops.count(3) == 3);

  int (*g)(int) = (int (*)(int))nd_size_t();
  assume(g != NULL);
  if (g == elsewhere)
    g(1);
  else if (nd_bool())
    g(1); // want failed invalid-call
  else if (nd_bool() && g == increment)
    sassert(g(1) == 2);

  assume(ops.odd == increment || ops.odd == (int (*)(int))sum);
  sassert(ops.odd(1) == 2); // want failed invalid-call
  return 0;
}
