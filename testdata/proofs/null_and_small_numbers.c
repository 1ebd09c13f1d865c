/*
null-dereference is for pointers that are null, or an offset from it however that got there. Other small numbers point to
no object: one finding of invalid-pointer.
verdict: failed
obligations: 9
*/
#include <stdint.h>
#include <unitproof.h>

struct node {
  int key;
  struct node *next;
  int more[2000];
};

static int value(const int *p) { return *p; } // want failed null-dereference

static void poisoned(void) {
  char *p = (char *)1;
  *p = 0; // want failed invalid-pointer
}

static void tagged(void) {
  uintptr_t tag = nd_bool() ? 8 : 16;
  sassert(*(int *)tag == 0); // want failed invalid-pointer
}

static void past_a_poison(void) {
  int *p = (int *)4;
  p++;
  *p = 1; // want failed invalid-pointer
}

static void member(struct node *n) {
  n->next = n; // want failed null-dereference
}

static void far_member(struct node *n) {
  n->more[1999] = 1; // want failed null-dereference
}

static void element(unsigned i) {
  int *a = 0;
  assume(i < 9);
  a[i] = 1; // want failed null-dereference
}

static void kept(void) {
  struct node *n = 0;
  int *p = &n->more[3];
  *p = 1; // want failed null-dereference
}

int main(void) {
  struct node *none = 0;
  switch (nd_int()) {
  case 0: poisoned(); break;
  case 1: tagged(); break;
  case 2: past_a_poison(); break;
  case 3: member(none); break;
  case 4: far_member(none); break;
  case 5: element(nd_uint()); break;
  case 6: kept(); break;
  case 7: return value(&none->more[1]);
  }
  return 0;
}
