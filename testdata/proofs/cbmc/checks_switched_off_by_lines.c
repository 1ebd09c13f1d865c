/*
#pragma CPROVER check disable: what is violated in its lines is accepted, there only, also in macros that are used there
and not in functions that are called from there. Lines that the preprocessor leaves out switch nothing off, and what is
switched off ends with the level.
verdict: failed
*/
#include <assert.h>
#include <stdlib.h>

#define FIRST(p) ((p)[0])

static int first(const int *p) { return p[0]; } // want failed use-after-free

#if 0
#pragma CPROVER check disable "signed-overflow"
#endif

int main(void) {
  int *p = malloc(sizeof(*p));
  __CPROVER_assume(p != NULL);
  *p = 5;
  free(p);
  int n = nondet_int(), m = n + 1; // want failed signed-overflow
#pragma CPROVER check push
#pragma CPROVER check disable "pointer"
  int freed = *p; // want failed use-after-free
  freed = FIRST(p); // want failed use-after-free
#pragma CPROVER check push
#pragma CPROVER check enable "pointer"
  if (n == 1)
    freed = p[0]; // want failed use-after-free
#pragma CPROVER check pop
  freed = p[0]; // want failed use-after-free
  int d = 7 / m; // want failed division-by-zero
  assert(freed == 5); // it is read as it was left
  if (n == 2)
    freed = first(p);
#pragma CPROVER check pop
  if (n == 3)
    freed = p[0]; // want failed use-after-free
#pragma CPROVER check disable "div-by-zero"
  d = 1 / n; // want failed division-by-zero
  return d;
}
