// verdict: failed
// obligations: 3

// A check is violated for one length. In the state of an arbitrary iteration the object of p is unknown, so that the
// check seems to hold for no execution. Then nothing behind it may be proved: the last assertion is false for 300.
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint(), m = nd_uint(), count = 0;
  assume(n <= 1000);
  unsigned char *a = malloc(n + 1), *c = malloc(n + 1);
  if (!a || !c)
    return 0;
  unsigned char *p = n == 5 ? c : a, *q = a;
  if (m * 2654435761u == 0x12345678) {
    while (count < n) { // want bounded unwinding
      unsigned char *t = p;
      p = q;
      q = t;
      if (p < a) // want failed ambiguous-pointer
        return 1;
      count++;
    }
  }
  sassert(count != 300); // want bounded assertion
  return 0;
}
