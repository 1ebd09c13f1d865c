// verdict: failed
// flags: --no-check invalid-call --no-check null-dereference
// obligations: 2
//
// Where calls are taken to be valid, a pointer of arbitrary value may be each function whose address is taken.
#include <unitproof.h>

static int called;

static int first(int x) { called = 1; return x; }
static int second(int x) { called = 2; return x; }
static int other(int x, int y) { called = 3; return x + y; }

int (*functions[])(int) = {first, second, (int (*)(int))other};

int main(void) {
  int (*f)(int) = (int (*)(int))nd_size_t();
  sassert(functions[nd_bool()] != NULL);
  f(3);
  sassert(called == 1 || called == 2);
  sassert(called == 2); // want failed assertion
  return 0;
}
