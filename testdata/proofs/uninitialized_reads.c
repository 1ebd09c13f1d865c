/*
Reads of memory that was never written, when they are asked for: through pointers, in
branches, at symbolic places, on the heap.
verdict: failed
flags: --check uninitialized-read
obligations: 6
*/
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

struct s {
  char c;
  int i;
  unsigned lo : 3, hi : 4;
  bool f;
};

void all_written_proof(void) {
  struct s a;
  a.c = 1;
  a.i = 2;
  a.lo = 3;
  a.hi = 4;
  a.f = true;
  struct s b = a;
  sassert(b.i == 2 && b.lo == 3 && b.hi == 4 && b.f);
  int x;
  if (nd_bool())
    x = 1;
  else
    x = 2;
  sassert(x > 0);
  int z;
  memhavoc(&z, sizeof z);
  sassert(z == z);
  char *p = calloc(4, 1);
  if (p)
    sassert(p[3] == 0);
}

int branch_proof(void) {
  int x;
  if (nd_bool())
    x = 1;
  return x; // want failed uninitialized-read
}

int place_proof(void) {
  int a[4];
  unsigned n = nd_uint(), k = nd_uint();
  assume(n <= 4 && k < 4);
  for (unsigned i = 0; i < n; i++)
    a[i] = (int)i;
  if (k < n)
    sassert(a[k] == (int)k);
  return a[k]; // want failed uninitialized-read
}

int heap_proof(void) {
  int *p = malloc(2 * sizeof *p);
  if (!p)
    return 0;
  p[0] = 1;
  int x = p[1]; // want failed uninitialized-read
  free(p);
  return x;
}
