/*
A struct of two words as an argument and as a result.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

struct pair {
  int a;
  short b;
  char c;
};

static struct pair swap(struct pair p) {
  struct pair r = {p.b, (short)p.a, p.c};
  return r;
}

int main(void) {
  struct pair p = {3, 4, 5};
  p = swap(p);
  sassert(p.a == 4 && p.b == 3 && p.c == 5);
  sassert(sizeof p == 8); // want failed assertion on msp430-none
  return 0;
}
