/*
 * verdict: proved
 * obligations: 4
 *
 * An array of variable length that no stack can hold is excluded by an assumption, which is named. Its size does not wrap.
 */
#include <stddef.h>
#include <unitproof.h>

int main(void) {
  size_t n = nd_size_t();
  assume(n > 0);
  int a[n];
  a[n - 1] = 1;
  sassert(a[n - 1] == 1);
  char b[2 * (n & 7) + 1];
  b[0] = 1;
  return b[0];
}
