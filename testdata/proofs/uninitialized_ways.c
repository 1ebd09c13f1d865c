/*
Memory that was never written, on its ways through a program: copied as a part of a struct, kept by
realloc, given away by value, read by the C library, used again after a free. All of them replay natively.
verdict: failed
flags: --check uninitialized-read --no-check assertion
obligations: 7
*/
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

struct big {
  long a, b, c;
  char tag;
  int last;
};

static long last_of(struct big s) {
  return s.last; // want failed uninitialized-read
}

void by_value_proof(void) {
  struct big s;
  s.a = s.b = s.c = 1;
  s.tag = 'x';
  if (nd_bool())
    s.last = 2;
  sassert(s.tag == 'x' && last_of(s) == 2);
}

void copied_proof(void) {
  struct big from, to;
  from.a = nd_int();
  to = from;
  sassert(to.a == from.a);
  sassert(to.b == 0); // want failed uninitialized-read
}

void grown_proof(void) {
  int *p = malloc(2 * sizeof *p);
  if (!p)
    return;
  p[0] = 1;
  int *q = realloc(p, 4 * sizeof *q);
  if (!q)
    return;
  sassert(q[0] == 1);
  unsigned i = nd_uint();
  assume(i < 4);
  sassert(q[i] == 0); // want failed uninitialized-read
}

void text_proof(void) {
  char name[4];
  name[0] = 'a';
  name[1] = nd_char();
  if (nd_bool())
    name[2] = 0;
  sassert(strlen(name) < 3); // want failed uninitialized-read
}

void again_proof(void) {
  int *p = malloc(sizeof *p);
  if (!p)
    return;
  *p = 1;
  free(p);
  p = malloc(sizeof *p);
  if (!p)
    return;
  sassert(*p == 1); // want failed uninitialized-read
}

void every_round_proof(void) {
  for (int i = 0; i < 2; i++) {
    int x;
    if (i == 0)
      x = 1;
    sassert(x == 1); // want failed uninitialized-read
  }
}

struct flags {
  unsigned low : 3, high : 5;
};

void bits_proof(void) {
  struct flags f;
  f.low = 1;
  struct flags g = f;
  sassert(g.low == 1);
  int zero[4] = {0};
  memset(&f, 0, sizeof f);
  int *p = calloc(2, sizeof *p);
  if (!p)
    return;
  sassert(zero[3] == 0 && f.high == 0 && p[1] == 0);
  int y;
  int *into = &y;
  if (nd_int() > 3)
    *into = 0;
  sassert(y == 0); // want failed uninitialized-read
}
