// verdict: bounded
// obligations: 6

// Behind the loop the object of p is unknown, so r is a or any other object. Nothing is proved of what a read of r may
// give, although a is the only object that the run with a cut loop knows: *r is 2 for more than 300 iterations.
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint(), m = nd_uint(), k = nd_uint(), count = 0;
  assume(n <= 1000);
  unsigned char *a = malloc(n + 1), *c = malloc(n + 1);
  if (!a || !c)
    return 0;
  memset(a, 1, n + 1);
  memset(c, 1, n + 1);
  if (n > 300 && m * 2654435761u == 0x12345678)
    c[0] = 2;
  unsigned char *p = a, *q = c;
  while (count < n) { // want bounded unwinding
    unsigned char *t = p;
    p = q;
    q = t;
    count++;
  }
  unsigned char *r = k & 1 ? a : p;
  unsigned char x = *r; // want bounded null-dereference // want bounded invalid-pointer
  sassert(x == 1); // want bounded assertion
  return 0;
}
