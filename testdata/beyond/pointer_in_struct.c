/*
A pointer in a struct is turned to another variable, late.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

struct s {
  int *at;
  unsigned pos;
};
int main(void) {
  int x = 0, y = 0;
  struct s s = {&x, 0};
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  while (s.pos < n) {
    if (s.pos == 70)
      s.at = &y;
    *s.at = 1;
    s.pos++;
  }
  sassert(y == 0); // want failed assertion
  return 0;
}
