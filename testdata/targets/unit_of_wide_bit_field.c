/*
A bit-field of more than 32 bits has a unit of eight bytes, whose alignment is that of long long.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <unitproof.h>

struct wide {
  char a;
  long long b : 49;
  char c;
};

int main(void) {
  struct wide w = {1, nd_int(), 3};
  int size = (int)sizeof w;
  sassert(w.c == 3 && size == 16); // want failed assertion on i386-linux
  return 0;
}
