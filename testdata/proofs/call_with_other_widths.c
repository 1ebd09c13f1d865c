/*
Calls through pointers may differ in the width of integers, and in a result that is not used.
verdict: failed
obligations: 3
*/
#include <unitproof.h>

static long wide(long x) { return x + 1; }
static int plain(int x) { return x + 1; }
static short narrow(short x) { return x; }
static bool flag(bool b) { return !b; }
static void nothing(int x) { (void)x; }

typedef int (*handler)(int);
static const handler table[] = {(handler)wide, plain, (handler)narrow, (handler)flag, (handler)nothing};

int main(void) {
  unsigned i = nd_uint();
  int x = nd_int();
  assume(i < 5 && x >= 0 && x < 1000);
  table[i](x);
  assume(i < 4);
  int r = table[i](x);
  sassert(i != 1 || r == x + 1);
  sassert(i != 2 || r == x);
  return 0;
}

void result_proof(void) {
  unsigned i = nd_uint();
  assume(i < 5);
  int r = table[i](1); // want failed invalid-call
  (void)r;
}
