/*
 * verdict: failed
 *
 * A static variable of a function has a name of its own in the program: the address that a counterexample gives it reaches it.
 */
#include <stdint.h>
#include <unitproof.h>

int main(void) {
  static char x;
  sassert((uintptr_t)&x != 0x100005); // want failed assertion
  return 0;
}
