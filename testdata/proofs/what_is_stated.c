/*
 * What a program states of itself: a false __builtin_assume is undefined, as is a pointer that is not aligned as
 * __builtin_assume_aligned says. Neither is an assumption.
 * verdict: failed
 */
#include <stdlib.h>
#include <unitproof.h>

static int table[8] __attribute__((aligned(32)));

static void conditions(int x) {
  if (x > 3) {
    __builtin_assume(x > 2);
    sassert(x != 3);
    __builtin_assume(x != 77); // want failed unreachable
    sassert(x != 77);
  } else {
    __builtin_assume(x > 0 && x < 10); // want failed unreachable
    sassert(x == 1 || x == 2 || x == 3);
  }
}

static int branches(unsigned x) {
  switch (x % 3) {
  case 0: return 1;
  case 1: return 2;
  case 2: return 3;
  default: __builtin_assume(0);
  }
  return 4;
}

static void pointers(int *p) {
  __builtin_assume(p != NULL); // want failed unreachable
  __builtin_assume(p == p);
}

static void aligned(char *heap, unsigned n) {
  int local;
  int *a = __builtin_assume_aligned(table, 32);
  a = __builtin_assume_aligned(table + 1, 32, 4);
  a = __builtin_assume_aligned(&local, 4);
  a = __builtin_assume_aligned(heap, 16);
  a = __builtin_assume_aligned(table + n % 8, 4);
  a = __builtin_assume_aligned(table + n % 8, 8); // want failed unreachable
  if (n == 2) a = __builtin_assume_aligned(table + 1, 32);   // want failed unreachable
  if (n == 4) a = __builtin_assume_aligned(heap + 4, 16, 8); // want failed unreachable
  (void)a;
}

static void optimistic(char *heap) {
  int *a = __builtin_assume_aligned(heap, 32); // want failed unreachable
  (void)a;
}

int main(void) {
  char *heap = malloc(64);
  if (heap == NULL) return 0;
  switch (nd_int()) {
  case 1: conditions(nd_int()); break;
  case 2: sassert(branches(nd_uint()) < 4); break;
  case 3: pointers(nd_bool() ? table : NULL); break;
  case 4: aligned(heap, nd_uint()); break;
  case 5: optimistic(heap); break;
  }
  free(heap);
}
