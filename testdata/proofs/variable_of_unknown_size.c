/*
 * verdict: failed
 * obligations: 5
 *
 * An array that is defined nowhere and declared without a length has any size. What is behind a test of the size is
 * examined; an access depends on the definition.
 */
#include <unitproof.h>

extern int table[];

int main(void) {
  unsigned k = nd_uint();
  assume(k < 3);
  int x = 0;
  if (sea_is_dereferenceable(table, 16)) x = table[k];
  sassert(x == 0); // want failed assertion
  int y = table[3]; // want unknown out-of-bounds-read
  sassert(y != 5); // want failed assertion
  sassert(y == table[3]); // want unknown out-of-bounds-read
  return 0;
}
