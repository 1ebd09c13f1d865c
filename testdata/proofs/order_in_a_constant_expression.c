/*
A comparison that clang makes a constant expression has its place, too.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

static int a[4], b[4];

int main(void) {
  int x;
  x = a < b; // want failed ambiguous-pointer
  return x;
}
