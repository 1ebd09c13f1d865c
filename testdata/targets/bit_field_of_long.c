/*
A bit-field of type long gives its struct the size of a long.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <unitproof.h>

struct flag {
  char a;
  long b : 3;
};

int main(void) {
  struct flag f = {1, nd_int() & 3};
  int size = (int)sizeof f;
  sassert(f.a == 1 && size == 8); // want failed assertion on i386-linux armhf-linux powerpc-linux
  return 0;
}
