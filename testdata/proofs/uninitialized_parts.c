/*
Reads through another type than the one that was written, when they are asked for: every byte counts. Where a struct or a union
is passed, returned or loaded atomically, its padding and the members that were not written travel with it, which is no read of them.
verdict: failed
flags: --check uninitialized-read
obligations: 20
*/
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

union u {
  char c;
  int i;
  short s;
};

int part_proof(void) {
  union u u;
  u.c = 1;
  return u.i; // want failed uninitialized-read
}

int smaller_part_proof(void) {
  union u u;
  u.c = 1;
  return u.s; // want failed uninitialized-read
}

static int take(int i) { return i; }
static short take_short(short i) { return i; }

int argument_proof(void) {
  union u u;
  u.c = 1;
  return take(u.i); // want failed uninitialized-read
}

int smaller_argument_proof(void) {
  union u u;
  u.c = 1;
  return take_short(u.s); // want failed uninitialized-read
}

int whole_proof(void) {
  union u u;
  u.i = 0x01020304;
  sassert(u.c == 4 && u.s == 0x0304);
  union u v = {.c = 3};
  sassert(v.c == 3);
  return 0;
}

int cast_proof(void) {
  char bytes[4];
  bytes[0] = bytes[1] = bytes[2] = 0;
  int i;
  memcpy(&i, bytes, 4);
  sassert((char)i == 0); // want failed uninitialized-read
  return 0;
}

int read_as_int_proof(void) {
  _Alignas(4) char bytes[4];
  bytes[0] = bytes[1] = bytes[2] = 0;
  return *(int *)bytes; // want failed uninitialized-read
}

int heap_proof(void) {
  char *p = malloc(8);
  if (!p)
    return 0;
  memset(p, 0, 7);
  long x = *(long *)p; // want failed uninitialized-read
  free(p);
  return (int)x;
}

struct padded {
  char c;
  int i;
};
struct wide {
  char c;
  long l;
  short s;
};
struct two {
  char c;
  int i;
  char d;
  int j;
};
union mixed {
  float f;
  char c;
};
union odd {
  char a[3];
  short s;
};

static int of_union(union u u) { return u.c; }
static int of_mixed(union mixed u) { return u.c; }
static int of_odd(union odd u) { return u.s; }
static int of_padded(struct padded p) { return p.i + p.c; } // want failed uninitialized-read
static int of_two(struct two p) { return p.i + p.c + p.d + p.j; }
static long of_wide(struct wide p) { return p.l + p.c + p.s; }
static struct padded padded(void) {
  struct padded p;
  p.c = 1;
  p.i = 2;
  return p;
}
static struct two two(void) {
  struct two p;
  p.c = p.d = 1;
  p.i = p.j = 2;
  return p;
}
static union u a_union(void) {
  union u u;
  u.c = 1;
  return u;
}

void travels_proof(void) {
  union u u;
  u.c = 1;
  sassert(of_union(u) == 1);
  union mixed m;
  m.c = 2;
  sassert(of_mixed(m) == 2);
  union odd o;
  o.s = 3;
  sassert(of_odd(o) == 3);
  struct padded p;
  p.c = 1;
  p.i = 2;
  sassert(of_padded(p) == 3);
  struct two t;
  t.c = t.d = 1;
  t.i = t.j = 2;
  sassert(of_two(t) == 6);
  struct wide w;
  w.c = 1;
  w.l = 2;
  w.s = 3;
  sassert(of_wide(w) == 6);
  sassert(of_padded(padded()) == 3 && of_two(two()) == 6 && a_union().c == 1);
}

void atomically_proof(void) {
  struct padded p;
  p.c = 1;
  p.i = 2;
  _Atomic struct padded a;
  atomic_store(&a, p);
  struct padded q = atomic_load(&a);
  sassert(q.c == 1 && q.i == 2);
}

int passed_partly_proof(void) {
  struct padded p;
  p.c = 1;
  return of_padded(p);
}
