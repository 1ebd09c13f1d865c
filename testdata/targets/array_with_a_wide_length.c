/*
A variable-length array with more elements than addresses does not fit into memory; a compiler makes one of 8 elements
on a machine with 32 bits.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

int main(void) {
  long long n = nd_int64_t();
  assume(n == 8 || n == (1LL << 40) + 8);
  char v[n];
  sassert(n == 8);
  v[n - 1] = 1;
  sassert(sizeof v == 8);
  int m = nd_int(), l = nd_int();
  assume((m == 3 || m == 16384) && (l == 2 || l == 4096));
  char w[m][l];
  w[m - 1][l - 1] = 2;
  w[m - 1][l] = 3; // want failed array-bounds
  return 0;
}
