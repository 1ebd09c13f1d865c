/*
 * verdict: failed
 *
 * Where an expression of several lines, or with statements in it, ends: what it makes lives as long.
 */
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>
struct s { int a[6]; };
static struct s make(int v) { struct s x = {{v, v + 1, v + 2, 3, 4, 5}}; return x; }
static int *keep;
static int *id(int *p) { return p; }
static int one(int *p) { return *p; }
int after_proof(void) {
  int *p = id(make(3).a);
  return *p; // want failed use-after-scope
}
int after2_proof(void) {
  int *p;
  p = make(3).a + 1;
  return *p; // want failed use-after-scope
}
int stored_proof(void) {
  keep = make(1).a;
  return *keep; // want failed use-after-scope
}
int cond_proof(void) {
  int *p = nd_bool() ? make(1).a : make(2).a;
  return *p; // want failed use-after-scope
}
int loop_proof(void) {
  int *p = 0;
  for (int i = 0; i < 2; i++) {
    if (p)
      return *p; // want failed use-after-scope
    p = make(i).a;
  }
  return 0;
}
int if_proof(void) {
  int *p = 0;
  if (nd_bool())
    p = make(1).a;
  return p ? *p : 0; // want failed use-after-scope
}
int arg_proof(void) {
  int *p = 0;
  int v = *(p = id(make(1).a)) + 2;
  v += *p; // want failed use-after-scope
  return v;
}
int two_lines_proof(void) {
  int v = *id(make(1).a) +
          *id(make(2).a);
  return v;
}
int two_lines2_proof(void) {
  int *p, v = *(p = id(make(1).a)) +
          nd_int() % 3 +
          *p;
  return v;
}
int ternary_proof(int c) {
  int *p, v = *(p = id(make(1).a)) ?
          c :
          *p;
  return v;
}
int and_proof(int c) {
  int *p;
  if (*(p = id(make(1).a)) == 1 &&
      c == 2 &&
      *p == 1)
    return 4;
  return 0;
}
int loop2_proof(void) {
  int *p, n = 0;
  while (*(p = id(make(n).a)) < 3 &&
         *p < 4)
    n++;
  return n;
}
int call_proof(void) {
  int *p = id(
      id(make(3).a)
  );
  return p != 0;
}
int called_proof(void) {
  int (*f)(int *) = 0;
  f = one;
  return f(make(1).a) +
         (nd_bool() ? f : one)(id(make(2).a));
}
static int add(int *a,
  int b,
  int c) { return *a + b + c; }
int args_proof(void) {
  return add(make(1).a,
      nd_bool() ? 2 : 1,
      nd_bool() &&
        nd_bool());
}
int assigned_proof(int k) {
  int *q;
  int r;
  r = *(q = id(make(k % 100).a)) *
      (k > 3 ?
        2 :
        3) +
      *q;
  return r;
}
int stmt_proof(void) {
  int *q;
  int r = *(q = id(make(3).a)) +
      ({ int z = 4;
         z++;
         z; }) +
      *q;
  return r;
}
int stmt_call_proof(void) {
  return add(id(make(3).a),
      ({ int z = 4;
         for (int i = 0; i < 2; i++)
           z++;
         z; }),
      2);
}
