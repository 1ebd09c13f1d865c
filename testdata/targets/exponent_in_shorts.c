/*
The part of a double that has its exponent.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <unitproof.h>

union parts {
  double d;
  unsigned short s[4];
};

int main(void) {
  union parts p;
  p.d = 1 + (nd_int() & 7) / 8.0;
  sassert((p.s[3] & 0x7ff0) == 0x3ff0); // want failed assertion on powerpc-linux s390x-linux
  return 0;
}
