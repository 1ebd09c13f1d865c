/*
A table of records with a pointer and a length.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <unitproof.h>

struct record {
  const char *name;
  int length;
};

int main(void) {
  static struct record table[5];
  int k = nd_int() & 3;
  int at = (int)((char *)&table[k + 1].length - (char *)table);
  sassert(at == 16 * (k + 1) + 8); // want failed assertion on i386-linux armhf-linux powerpc-linux
  return 0;
}
