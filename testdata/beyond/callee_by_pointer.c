/*
The function that is called through a pointer writes a variable.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static unsigned total;
static void add_one(void) { total++; }
static void nothing(void) {}
int main(void) {
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++) {
    void (*f)(void) = i == 90 ? add_one : nothing;
    f();
  }
  sassert(total == 0); // want failed assertion
  return 0;
}
