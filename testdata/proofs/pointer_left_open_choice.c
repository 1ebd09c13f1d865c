// verdict: unknown
// obligations: 10

// Behind the first loop the object of p is unknown, so the run with cut loops has no state behind the write. It must
// not conclude that s is never c in the second loop.
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

typedef unsigned char T;

int main(void) {
  unsigned n = nd_uint(), m = nd_uint(), count = 0;
  assume(n <= 1000);
  unsigned char *a = malloc(n + 1), *c = malloc(n + 1);
  if (!a || !c)
    return 0;
  memset(a, 1, n + 1);
  memset(c, 2, n + 1);
  unsigned char *p = a, *q = c, *s = a;
  if (m * 2654435761u == 0x12345678) {
    while (count < n) { // want bounded unwinding
      unsigned char *t = p;
      p = q;
      q = t;
      count++;
    }
    if (p == NULL)
      return 1;
    T v = *p; // want bounded invalid-pointer // want bounded out-of-bounds-read
    *p = v; // want bounded null-dereference // want bounded invalid-pointer // want bounded out-of-bounds-write
    s = c;
  }
  for (unsigned i = 0; i < n; i++) { // want bounded unwinding
    if (i > 300)
      sassert(*s == 1); // want bounded assertion // want unknown use-after-free // want unknown out-of-bounds-read
    s++;
  }
  return 0;
}
