/*
 * A pointer of unknown origin may point to a variable: what is written through it may be that.
 * verdict: unknown
 */
#include <string.h>
#include <unitproof.h>

int *get(int *);

int main(void) {
  int x = 3, y = 4, z = 5;
  int *p = get(&x);
  x = 3;
  switch (nd_int()) {
  case 1:
    if (sea_is_dereferenceable(p, 4)) *p = 7; // want unknown invalid-pointer
    break;
  case 2:
    if (sea_is_dereferenceable(p, 4)) memset(p, 7, 4); // want unknown invalid-pointer
    break;
  case 3:
    if (sea_is_dereferenceable(p, 4)) memhavoc(p, 4); // want unknown invalid-pointer
    break;
  case 4:
    sassert(z == 5); // want proved assertion
    if (sea_is_dereferenceable(p, 4)) z = *p; // want unknown invalid-pointer
    sassert(y == 4); // want proved assertion
    return 0;
  }
  sassert(x == 3); // want unknown assertion
}
