/*
 * verdict: failed
 *
 * Elements of arrays inside of objects that expressions get at in every other way: in parentheses, in variables of static
 * storage, whose addresses are constants, through conditional expressions, as arguments. Clang allows for the address
 * behind the last element there.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>
struct pair { int x, y; int m[3]; };
struct holder {
  unsigned slot[4];
  char name[8];
  struct pair pairs[3];
  int matrix[2][3];
  _Complex double z[2];
  int (*fp[2])(int);
  short one[1];
  unsigned total;
};
static unsigned at_most(unsigned n) { unsigned i = nd_uint(); assume(i <= n); return i; }
static struct holder g;
static int gm[3][4];
static int ga[4];
static struct { int pre; int last[1]; } gflex;
static union { int few[2]; int many[6]; } gu;

void g_inc_proof(void) { g.slot[at_most(4)]++; } // want failed array-bounds
void g_star_proof(void) { *(g.slot + at_most(4)) = 1; } // want failed array-bounds
void gm_row_proof(void) { gm[1][at_most(4)]++; } // want failed array-bounds
void gm_row2_proof(void) { gm[at_most(2)][at_most(4)]++; } // want failed array-bounds
void g_copy_proof(void) { struct pair p = g.pairs[at_most(3)]; (void)p; } // want failed array-bounds
void g_one_proof(void) { g.one[at_most(1)]++; } // want failed array-bounds
void g_union_proof(void) { gu.few[at_most(2)]++; } // want failed array-bounds
void g_paren_proof(void) { (g.slot[at_most(4)]) = 3; } // want failed array-bounds
void l_paren_proof(struct holder h) { (h.slot[at_most(4)]) = 3; } // want failed array-bounds
void l_paren_const_proof(struct holder h) { (h.slot[4]) = 3; } // want failed array-bounds
void l_paren_row_proof(struct holder h) {
  (h.matrix[at_most(2)])[at_most(2)] = 3; // want failed array-bounds
}
int l_paren_row_read_proof(struct holder h) {
  return (h.matrix[at_most(2)])[at_most(2)]; // want failed array-bounds
}
void l_paren_member_proof(struct holder h) {
  (h.pairs[at_most(3)]).m[at_most(2)] = 3; // want failed array-bounds
}
void l_paren_member2_proof(struct holder h) { (h.pairs[at_most(3)]).x = 3; } // want failed array-bounds
void l_star_row_proof(struct holder h) { *h.matrix[at_most(2)] = 3; } // want failed array-bounds
void l_star_star_proof(struct holder h) { **(h.matrix + at_most(2)) = 3; } // want failed array-bounds
void l_star_row2_proof(struct holder h) {
  (*(h.matrix + at_most(2)))[at_most(2)] = 3; // want failed array-bounds
}
void l_cond_proof(struct holder h) {
  *(nd_bool() ? &h.slot[at_most(4)] : &h.slot[1]) = 5; // want failed array-bounds
}
void l_complex_proof(struct holder h) {
  _Complex double c = h.z[at_most(2)]; // want failed array-bounds
  (void)c;
}
void l_complex_w_proof(struct holder h) { h.z[at_most(2)] = 1; } // want failed array-bounds
double l_real_proof(struct holder h) { return __real__ h.z[at_most(2)]; } // want failed array-bounds
void l_inc_const_proof(struct holder h) { h.slot[4]++; } // want failed array-bounds
void l_amp_deref_proof(struct holder h) { *&h.slot[at_most(4)] = 1; } // want failed array-bounds
void l_amp_zero_proof(struct holder h) { (&h.slot[at_most(4)])[0] = 1; } // want failed array-bounds
void l_arrow_proof(struct holder h) { (&h.pairs[at_most(3)])->x = 1; } // want failed array-bounds
void l_arrow2_proof(struct holder h) {
  (h.pairs + at_most(3))->m[at_most(2)] = 1; // want failed array-bounds
}
void l_rev_proof(struct holder h) { at_most(4)[h.slot]++; } // want failed array-bounds
void l_comma_proof(struct holder h) { int i = at_most(4); (0, h.slot)[i] = 1; } // want failed array-bounds
void l_generic_proof(struct holder h) {
  _Generic(1, int: h.slot[at_most(4)]) = 1; // want failed array-bounds
}
void l_ext_proof(struct holder h) { __extension__(h.slot[at_most(4)]) = 1; } // want failed array-bounds
void l_stmt_proof(struct holder h) {
  unsigned v = ({ h.slot[at_most(4)]; }); // want failed array-bounds
  (void)v;
}
void l_asm_proof(struct holder h) { __asm__("" : "=m"(h.slot[at_most(4)])); } // want failed array-bounds
void l_plus_eq_proof(struct holder h) {
  (h.slot[at_most(4)]) += nd_bool() ? 1 : 2; // want failed array-bounds
}
void l_plus_eq2_proof(struct holder h) {
  h.slot[at_most(4)] += nd_bool() ? 1 : 2; // want failed array-bounds
}
void l_or_eq_proof(struct holder h) { h.slot[at_most(4)] |= 2; } // want failed array-bounds
void l_shift_eq_proof(struct holder h) { (h.slot[at_most(4)]) <<= at_most(3); } // want failed array-bounds
void l_vol_proof(struct holder h) {
  ((volatile unsigned *)h.slot)[at_most(3)]++;
  *(volatile unsigned *)&h.slot[at_most(4)] = 1; // want failed array-bounds
}
void l_atomic_proof(struct holder h) {
  __atomic_fetch_add(&h.slot[at_most(4)], 1, 5); // want failed array-bounds
}
void l_fp_proof(struct holder h) {
  h.fp[0] = h.fp[1] = 0;
  if (h.fp[at_most(2)]) h.total++; // want failed array-bounds
}
struct large { long v[4]; };
struct larges { struct large l[2]; long after[4]; };
static long first(struct large l) { return l.v[0]; }
static struct large make(void) { return (struct large){{1, 2, 3, 4}}; }
long passed_proof(struct larges s) { return first(s.l[at_most(2)]); } // want failed array-bounds
long result_proof(struct larges s) { (s.l[at_most(2)]) = make(); return 0; } // want failed array-bounds
int inside_a_row_proof(int (*rows)[3][2]) {
  static int r[2][3][2];
  rows = r;
  return (rows[1][at_most(3)])[0]; // want failed array-bounds
}
