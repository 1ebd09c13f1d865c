/*
An index times the length of a row wraps: it is not the first row again.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <stdlib.h>
static int get(int n, int (*rows)[n], size_t i) { return rows[i][0]; } // want failed out-of-bounds-read
static int (*row(int n, int (*rows)[], size_t i))[] {
  int(*p)[n] = rows;
  return (int(*)[])(p + i);
}

int main(void) {
  int n = nd_int();
  assume(n == 4 || n == 8);
  int(*rows)[n] = malloc(2 * n * sizeof(int));
  if (!rows) return 0;
  rows[0][0] = rows[1][0] = 5;
  size_t i = nd_bool() ? (size_t)1 << (sizeof(size_t) * 8 - 2) : 1;
  if (nd_bool()) sassert(get(n, rows, i) == 5);
  if (nd_bool()) sassert((*row(n, rows, i))[0] == 5); // want failed out-of-bounds-read
  if (i < 2) sassert(rows[i][0] == 5);
  free(rows);
  return 0;
}
