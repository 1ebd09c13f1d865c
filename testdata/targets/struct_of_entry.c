/*
A struct of the entry is its caller's copy where the ABI passes it by address: arbitrary, but an object.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows aarch64-linux riscv64-linux mips-linux
*/
#include <unitproof.h>

struct large {
  int slot[8];
  char *text;
};
struct pair {
  char *text;
  long n;
};
union either {
  double d[3];
  char bytes[24];
};

void proof_of_structs(struct large a, int n, struct pair p, union either u) {
  a.slot[3] = n;
  a.slot[4]++; // want failed signed-overflow
  u.bytes[23] = 1;
  sassert(a.slot[3] == n && u.bytes[23] == 1);
  sassert(a.slot[0] != 77); // want failed assertion
  assume(p.n > 0);
  sassert(p.n >= 1);
  if (p.text != 0) a.text = p.text;
  sassert(p.n != 5); // want failed assertion
}
