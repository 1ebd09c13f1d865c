/*
An index with more bits than an address is not reduced to the bits of an address before its object is looked at: a
compiler reads p[0] for p[1LL << 32] on a machine with 32 bits, which no program may rely on.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

static int table[4] = {7, 7, 7, 7};
static int read(int *p, long long i) { return p[i]; } // want failed out-of-bounds-read
static int *moved(int *p, unsigned long long i) { return p + i; }
static int *back(int *p, long long i) { return p - i; }

int main(void) {
  int v[4] = {7, 7, 7, 7};
  long long i = nd_int64_t();
  assume(i >= 0 && i < 4 || i == (1LL << 32) + 1 || i == -(1LL << 32) + 1);
  switch (nd_int()) {
  case 0:
    if (i > 0) sassert(v[i] == 7); // want failed array-bounds
    break;
  case 1:
    if (i < 4) sassert(v[i] == 7); // want failed array-bounds
    break;
  case 2:
    if (i > 0) sassert(table[i] == 7); // want failed array-bounds
    break;
  case 3:
    if (i < 4) sassert(table[i] == 7); // want failed array-bounds
    break;
  case 4:
    if (i > 4) read(v, i);
    break;
  case 5:
    if (i > 4) sassert(*moved(v, i) == 7); // want failed out-of-bounds-read
    break;
  case 6:
    if (i > 4) sassert(*back(v + 3, i) == 7); // want failed out-of-bounds-read
    break;
  case 7:
    if (i < 0) sassert(*back(v, i) == 7); // want failed out-of-bounds-read
    break;
  case 8:
    if (i >= 0 && i < 4) {
      sassert(v[i] == 7 && table[i] == 7 && read(v, i) == 7);
      sassert(*moved(v, i) == 7 && *back(v + 3, i) == 7);
    }
  }
  return 0;
}
