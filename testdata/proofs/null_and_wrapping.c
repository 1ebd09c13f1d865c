/*
 * NULL and what arithmetic makes of it, and addresses that wrap around to 0, which are none.
 * verdict: failed
 */
#include <unitproof.h>
#include <stddef.h>
#include <stdint.h>
struct pair { int a, b; };
int main(void) {
  struct pair *p = nd_bool() ? NULL : (struct pair *)nd_voidp(), room = {1, 2}; if (p) p = &room;
  int *q = nd_voidp(); unsigned i = nd_uint();
  switch (nd_int()) {
  case 1: p->a = 1; return p->b; // want failed null-dereference
  case 2: if (q) return q[i]; break; // want failed invalid-pointer
  case 3: q = NULL; return q[i]; // want failed null-dereference
  case 4: q = (int *)(uintptr_t)0; return *q; // want failed null-dereference
  case 5: if (q) { int *r = q + 1; return *r; } break; // want failed invalid-pointer
  case 6: p = NULL; return p->b; // want failed null-dereference
  case 7: if (q) { q--; return *q; } break; // want failed invalid-pointer
  }
}
