/*
 * verdict: failed
 * obligations: 12
 *
 * An access stays in its array inside of an object, also where clang's sanitizer makes no check or allows for the address behind the
 * last element.
 */
#include <stddef.h>
#include <stdlib.h>
#include <unitproof.h>

struct pair { int x, y; };
struct holder {
  unsigned slot[4];
  char name[8];
  struct pair pairs[3];
  double matrix[2][3];
  _Atomic int atomics[2];
  short one[1];
  unsigned total;
};
struct flexible { int n; char data[1]; };
union either { unsigned few[2]; unsigned many[6]; };

static unsigned at_most(unsigned n) {
  unsigned i = nd_uint();
  assume(i <= n);
  return i;
}

void proof_increment(struct holder h) {
  h.slot[at_most(3)]++;
  h.slot[at_most(4)]++; // want failed array-bounds
}

void proof_decrement(struct holder h) {
  int i = nd_int();
  assume(i > 0 && i < 9);
  --h.name[i]; // want failed array-bounds
}

void proof_through_a_pointer(void) {
  struct holder *h = malloc(sizeof *h);
  if (h) {
    h->name[0] = 0;
    h->name[at_most(8)]++; // want failed array-bounds
  }
  free(h);
}

void proof_copied(struct holder h, struct pair p) {
  h.pairs[at_most(2)] = p;
  p = h.pairs[at_most(3)]; // want failed array-bounds
}

void proof_dimensions(struct holder h) {
  h.matrix[at_most(1)][at_most(2)]++;
  h.matrix[0][at_most(3)]++; // want failed array-bounds
}

void proof_atomic(struct holder h) { h.atomics[at_most(2)]++; } // want failed array-bounds

void proof_one_element(struct holder h) { h.one[at_most(1)]++; } // want failed array-bounds

void proof_pointer_arithmetic(struct holder h) {
  h.slot[1] = *(h.slot + at_most(3));
  *(h.slot + at_most(4)) = 1; // want failed array-bounds
}

void proof_union(union either u) { u.few[at_most(2)]++; } // want failed array-bounds

__attribute__((no_sanitize("undefined"))) static void set(struct holder *h, unsigned i) { h->slot[i] = 1; } // want failed array-bounds
void proof_told_not_to(struct holder h) { set(&h, at_most(4)); }

/* What is legal. */
int proof_legal(struct holder h) {
  unsigned *end = &h.slot[4], *p;
  unsigned n = 0;
  for (p = h.slot; p != end; p++) n++;
  for (p = &h.slot[4]; p-- > h.slot;) n--;
  sassert(n == 0 && end - h.slot == 4);
  struct holder *whole = (struct holder *)((char *)&h.pairs[1] - offsetof(struct holder, pairs[1]));
  whole->total++;
  char *bytes = (char *)&h.slot[4];
  sassert(bytes == h.name);
  struct flexible *f = malloc(sizeof *f + 5);
  if (f) {
    f->data[0] = 0;
    f->data[5] = 1;
    f->data[5]++;
    *(f->data + 4) = 2;
  }
  free(f);
  int local[3] = {1, 2, 3};
  local[at_most(2)]++;
  return *(&h.slot[4] - 1) == 0 && (&h.pairs[3])[-1].x == 0;
}
