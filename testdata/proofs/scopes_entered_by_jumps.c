/*
 * verdict: failed
 *
 * However its block is entered, a variable lives until the block is left (C11 6.2.4p6): by a jump behind its declaration, forwards or
 * back, out and in again, through nested blocks.
 */
#include <stddef.h>
#include <unitproof.h>

static int forwards(void) {
  int *p;
  goto in;
  {
    int x;
  in:
    x = 5;
    p = &x;
    for (int i = 0; i < 2; i++) *p += i;
    sassert(*p == 6);
  }
  return *p; // want failed use-after-scope
}

static int nested(void) {
  int *p = NULL, *q = NULL;
  if (nd_bool()) goto in;
  return 0;
  {
    int x;
    {
      int y;
    in:
      x = 1, y = 2;
      p = &x, q = &y;
    }
    sassert(*p == 1);
  }
  return *q; // want failed use-after-scope
}

static int out_and_in(void) {
  int *p = NULL, n = 0;
  goto in;
  {
    int x;
  in:
    if (n == 0) x = 3;
    p = &x;
    n++;
    if (n == 1) goto out;
    sassert(n == 2);
  }
  return n;
out:
  if (nd_bool()) return *p; // want failed use-after-scope
  goto in;
}

static int around(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    int *p;
    goto in;
    {
      int x;
    in:
      x = i;
      p = &x;
      sum += *p;
    }
    if (i == 2 && nd_bool()) sum += *p; // want failed use-after-scope
  }
  return sum;
}

int main(void) {
  switch (nd_int()) {
    case 0: return forwards();
    case 1: return nested();
    case 2: return out_and_in();
    case 3: {
      int sum = around();
      sassert(sum == 3);
    }
  }
  return 0;
}
