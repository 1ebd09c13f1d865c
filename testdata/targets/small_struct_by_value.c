/*
A struct of three bytes, and one of a float and a byte.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

struct three {
  unsigned char b[3];
};
struct mixed {
  float f;
  char c;
};

static struct three turn(struct three t) {
  struct three r = {{t.b[2], t.b[0], t.b[1]}};
  return r;
}
static struct mixed twice(struct mixed m) {
  m.f *= 2, m.c++;
  return m;
}

int main(void) {
  struct three t = {{1, 2, 3}};
  t = turn(t);
  sassert(t.b[0] == 3 && t.b[1] == 1 && t.b[2] == 2);
  struct mixed m = {1.5f, 7};
  m = twice(m);
  sassert(m.f == 3.0f && m.c == 8);
  uint16_t first;
  __builtin_memcpy(&first, t.b, 2);
  sassert(first == 0x0103); // want failed assertion on powerpc-linux s390x-linux
  return 0;
}
