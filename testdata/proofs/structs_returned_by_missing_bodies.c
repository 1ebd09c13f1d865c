/*
Structs that functions without a body return, in memory and in registers: all of them is written, and any value.

verdict: failed
flags: --check uninitialized-read
*/
#include <stdbool.h>
#include <unitproof.h>

struct large { long a[5]; };
struct small { int a; char b; };
union odd { char text[40]; double d; };
struct __attribute__((packed)) tight { char c; long double d; }; // in memory, though it is small

struct large nondet_large(void);
struct small nondet_small(void);
union odd __VERIFIER_nondet_odd(void);
struct large nd_large(void);
struct tight nd_tight(void);
struct large missing(int n);
struct large nd_within(struct large low);

static struct large global;

int main(void) {
  struct large l = nondet_large();
  sassert(l.a[4] != 3); // want failed assertion
  struct large m = nondet_large();
  assume(l.a[0] == 17);
  sassert(m.a[0] != l.a[0]); // want failed assertion
  struct small s = nondet_small();
  sassert(s.b != 3); // want failed assertion
  union odd o = __VERIFIER_nondet_odd();
  sassert(o.text[39] == 0); // want failed assertion
  global = nd_large();
  sassert(global.a[1] == 0); // want failed assertion
  struct tight t = nd_tight();
  sassert(t.c == 0); // want failed assertion
  struct large n = missing(3);
  sassert(n.a[2] == 0); // want failed assertion
  n = nd_within(n);
  sassert(n.a[3] == 0); // want failed assertion
  return missing(4).a[1] == nondet_large().a[2];
}
