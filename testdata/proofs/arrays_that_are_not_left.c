/*
 * verdict: proved
 *
 * What looks like leaving an array inside of an object and is none: flexible members, addresses that are kept and compared,
 * elements counted from the end, other views of the same bytes.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>
static unsigned at_most(unsigned n) { unsigned i = nd_uint(); assume(i <= n); return i; }
struct flex1 { int n; char data[1]; };
struct flex0 { int n; char data[0]; };
struct flex { int n; char data[]; };
struct nested { struct flex1 in; char room[16]; };
union fu { struct { int n; int d[1]; } a; int raw[8]; };
struct ptrs { int (*row)[4]; int rows[3][4]; };
struct s { int a[4]; int b[4]; };
void flex1_proof(void) {
  struct flex1 *f = malloc(sizeof *f + 8);
  if (f) { unsigned i = at_most(8); f->data[i] = 1; f->data[i]++; *(f->data + i) = 3; (f->data[i]) = 4; } free(f);
}
void flex0_proof(void) {
  struct flex0 *f = malloc(sizeof *f + 8);
  if (f) { unsigned i = at_most(7); f->data[i] = 1; f->data[i]++; *(f->data + i) = 3; (f->data[i]) = 4; } free(f);
}
void flex_proof(void) {
  struct flex *f = malloc(sizeof *f + 8);
  if (f) { unsigned i = at_most(7); f->data[i] = 1; f->data[i]++; *(f->data + i) = 3; (f->data[i]) = 4; } free(f);
}
void nested_proof(void) {
  struct nested n;
  unsigned i = at_most(8);
  n.in.data[i] = 1;
  n.in.data[i]++;
  *(n.in.data + i) = 2;
}
void unionflex_proof(void) { union fu u = {0}; unsigned i = at_most(6); u.a.d[i] = 1; u.a.d[i]++; }
void rows_proof(void) {
  struct ptrs p = {0};
  p.row = p.rows;
  unsigned i = at_most(2), j = at_most(3);
  p.row[i][j] = 1;
  p.row[i][j]++;
  (*(p.row + i))[j]++;
  p.rows[i][j]++;
  *(*(p.rows + i) + j) = 3;
  sassert(p.row[i][j] == 3);
}
void neg_proof(struct s s) {
  int *p = s.b;
  unsigned i = at_most(3);
  p[-1 - (int)i] = 1;
  (&s.b[4])[-1] = 2;
  *(&s.a[4] - 1) = 3;
}
void ends_proof(struct s s) {
  int *e = &s.a[4];
  int n = 0;
  for (int *p = s.a; p < e; p++) { *p = 1; n++; } sassert(n == 4);
  e = s.b + 4;
  for (int *p = s.b; p != e; ) *p++ = 2;
}
void memcpy_proof(struct s s) {
  unsigned n = at_most(4);
  int src[4] = {1,2,3,4};
  memcpy(&s.a[4 - n], src, n * sizeof(int));
  memcpy(&s.a[4], src, 0);
  memcpy(s.a, s.b, sizeof s.a);
  memset(&s.a[4 - n], 0, n * 4);
}
void whole_proof(struct s s) {
  int *all = (int *)&s;
  unsigned i = at_most(7);
  all[i] = 1;
  ((int *)&s)[i]++;
  *((int *)&s + i) = 2;
  ((char *)&s)[4 * i]++;
}
static int gg[4][4];
void global_proof(void) {
  unsigned i = at_most(3), j = at_most(3);
  gg[i][j]++;
  (gg[i])[j] = 1;
  *(gg[i] + j) = 2;
  *(*(gg + i) + j) = 3;
  gg[3][3]++;
  *(gg[3] + 3) = 2;
  int *flat = &gg[0][0];
  flat[4 * i + j]++;
}
void vla_proof(void) {
  unsigned n = at_most(3) + 1, i = nd_uint();
  assume(i < n);
  int v[n][4];
  v[i][3] = 1;
  v[i][3]++;
  (v[i])[at_most(3)] = 2;
}
typedef struct { unsigned char b[16]; } block;
void cast_proof(void) {
  block k[2];
  unsigned i = at_most(31);
  ((unsigned char *)k)[i] = 1;
  k[0].b[15]++;
  unsigned char *p = k[0].b;
  p[at_most(15)]++;
}
int ptrdecay_proof(void) {
  static int t[3][4];
  int (*p)[4] = t;
  unsigned i = at_most(2);
  p += i;
  (*p)[3]++;
  p[0][at_most(3)]++;
  return *p[0];
}
struct list { struct list *next; int v; };
struct owner { int id; struct list l[2]; int z; };
int container_proof(void) {
  struct owner o = {0};
  struct list *l = &o.l[1];
  struct owner *w = (struct owner *)((char *)l - offsetof(struct owner, l[1]));
  w->z = 4;
  return o.z == 4;
}
void endp_proof(struct s s) { int *p = &s.a[at_most(4)]; if (p != &s.a[4]) *p = 1; }
struct one { int a[1]; int n; };
void one_proof(struct one o) { o.a[0] = 1; o.a[0]++; *o.a = 3; o.a[at_most(0)] = 1; (o.a[0]) = 2; }
void string_proof(void) {
  struct { char s[4]; int n; } x = {"abc", 1};
  sassert(*(x.s + 3) == 0);
  x.s[strlen(x.s)]++;
}
void cond_ok_proof(struct s s) {
  unsigned i = at_most(3);
  *(nd_bool() ? &s.a[i] : &s.b[i]) = 5;
  (nd_bool() ? s.a : s.b)[i] = 2;
  unsigned k = at_most(4);
  *(k < 4 ? &s.a[k] : &s.b[0]) = 1;
}
