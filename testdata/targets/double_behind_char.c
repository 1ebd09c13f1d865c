/*
A double behind a char in an array of structs.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <unitproof.h>

struct sample {
  char kind;
  double value;
};

int main(void) {
  static struct sample samples[3];
  int k = nd_int() & 1;
  int at = (int)((char *)&samples[k + 1].value - (char *)samples);
  sassert(at == 16 * (k + 1) + 8); // want failed assertion on i386-linux
  return 0;
}
