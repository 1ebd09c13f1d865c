/*
 * A pointer to a variable, or to an unknown object: what is read through it need not be what the variable has.
 * verdict: unknown
 */
#include <unitproof.h>

int *get(int *);

int main(void) {
  int x = 3, y = 4, v = 0;
  int *p = get(&x);
  x = 3;
  int *r = nd_bool() ? &y : p;
  if (sea_is_dereferenceable(r, 4)) v = *r; // want unknown invalid-pointer
  sassert(v == 0 || v == 4); // want unknown assertion
  return 0;
}
