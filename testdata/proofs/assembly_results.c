/*
What an empty template is said to write: what shares its place with an argument is that argument, in registers and in
memory; what does not may be anything, also where something was stored before, which compilers may leave out. What other
templates leave is not known.
verdict: failed
*/
#include <stdint.h>
#include <unitproof.h>

struct point {
  int x, y;
};

int main(void) {
  int a = nd_int(), b = nd_int(), was_a = a, was_b = b;
  __asm__("" : "+r"(a), "+r"(b));
  sassert(a == was_a && b == was_b);
  __asm__("" : "=r"(a), "=r"(b) : "1"(a), "0"(b));
  sassert(a == was_b && b == was_a);
  __asm__("" : "+rm"(a), "+m"(b) : "r"(was_a));
  sassert(a == was_b && b == was_a);

  int in = nd_int(), out = 5;
  __asm__("" : "=rm"(out) : "0"(in));
  sassert(out == in);
  struct point p = {1, 2};
  __asm__("" : "+m"(p) : : "memory");
  sassert(p.x == 1 && p.y == 2);

  int stored = 3, kept = 4;
  __asm__("" : "=m"(stored));
  sassert(stored == 3); // want failed assertion
  __asm__("" : "=r"(stored), "+r"(kept));
  sassert(stored == 3); // want failed assertion
  sassert(kept == 4);
  __asm__("nop" : "+r"(kept), "=m"(p));
  sassert(p.x == 1); // want unknown assertion
  sassert(kept == 4); // want unknown assertion
  return 0;
}
