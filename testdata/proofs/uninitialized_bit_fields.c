/*
Reads of bit-fields of which no bit, or not every bit, was written, when they are asked for: what stands beside a field is
read and put back where the field is written, which is no read of the program, and leaves it as unwritten as it was.
verdict: failed
flags: --check uninitialized-read
obligations: 20
*/
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

struct s {
  unsigned a : 3;
  unsigned b : 4;
  int c : 7;
  bool d : 1;
  unsigned e : 1;
  unsigned long far : 40;
};

int none_proof(void) {
  struct s s;
  return s.b; // want failed uninitialized-read
}

int beside_proof(void) {
  struct s s;
  s.a = 1;
  s.c = -2;
  s.far = 5;
  sassert(s.a == 1 && s.c == -2 && s.far == 5);
  return s.b; // want failed uninitialized-read
}

int beside_signed_proof(void) {
  struct s s;
  s.b = 1;
  s.d = true;
  return s.d ? s.c : 0; // want failed uninitialized-read
}

int beside_bool_proof(void) {
  struct s s;
  s.e = 1;
  s.c = 0;
  return s.d; // want failed uninitialized-read
}

unsigned long far_proof(void) {
  struct s s;
  s.a = 0;
  s.b = 7;
  s.c = 0;
  s.d = 0;
  s.e = 1;
  return s.far; // want failed uninitialized-read
}

int compound_proof(void) {
  struct s s;
  s.a = 3;
  s.a += 2;
  s.a++;
  sassert(s.a == 6);
  s.b |= 1; // want failed uninitialized-read
  return s.b;
}

int increment_proof(void) {
  struct s s;
  s.c = 3;
  s.e++; // want failed uninitialized-read
  return 0;
}

int branch_proof(void) {
  struct s s;
  s.b = 0;
  if (nd_bool())
    s.a = 1;
  return s.a; // want failed uninitialized-read
}

int copy_proof(void) {
  struct s s, t, *h = malloc(sizeof *h);
  s.a = 1;
  t = s;
  if (h) {
    memcpy(h, &t, sizeof t);
    sassert(h->a == 1);
    int x = h->b; // want failed uninitialized-read
    free(h);
    return x;
  }
  return t.a;
}

struct outer {
  char before;
  struct {
    unsigned x : 5, y : 5;
  } in[2];
};

int nested_proof(void) {
  struct outer o;
  unsigned k = nd_uint();
  assume(k < 2);
  o.in[0].x = 1;
  o.in[1].x = 2;
  o.in[0].y = 3;
  sassert(o.in[k].x == k + 1);
  return o.in[k].y; // want failed uninitialized-read
}

int assigned_value_proof(void) {
  struct s s;
  int x = (s.c = 5) + (s.b = 0);
  sassert(x == 5 && s.c == 5 && s.b == 0);
  struct s z = {0};
  sassert(z.b == 0 && z.far == 0 && !z.d);
  struct s m;
  memset(&m, 0, sizeof m);
  m.b = 2;
  return m.c + m.a + z.c;
}

static int sum(struct s by_value) { return by_value.a + (int)by_value.far; }

int passed_proof(void) {
  struct s s;
  s.a = 1;
  s.far = 2;
  sassert(sum(s) == 3);
  return 0;
}

static unsigned other(struct s by_value) { return by_value.b; } // want failed uninitialized-read

int passed_partly_proof(void) {
  struct s s;
  s.a = 1;
  return (int)other(s);
}
