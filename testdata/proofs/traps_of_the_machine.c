// verdict: failed
// obligations: 4
// The traps of the machine, in the entry and in a function that is called, and what a compiler is told of a branch.
#include <unitproof.h>

static void stop(int x) {
  if (x == 8)
    __builtin_trap(); // want failed unreachable
}

int main(void) {
  int x = nd_int();
  if (x == 5)
    __builtin_trap(); // want failed unreachable
  if (x == 6)
    __builtin_debugtrap(); // want failed unreachable
  stop(x);
  if (__builtin_expect_with_probability(x == 7, 1, 0.9))
    sassert(x != 7); // want failed assertion
  return 0;
}
