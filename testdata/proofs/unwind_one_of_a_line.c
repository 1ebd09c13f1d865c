/*
Loops are numbered as they stand in the source, those of one line from left to right: the bound is that of the short loop behind
else, though clang's blocks for it are visited first.
verdict: proved
flags: --unwind count#2=3
obligations: 1
*/
#include <unitproof.h>

static void count(bool up) {
  unsigned i = 2, n = 0;
  if (up) while (n < 5) n++; else while (i > 0) i--;
  sassert(n == 5 || i == 0);
}

int main(void) {
  count(nd_bool());
  return 0;
}
