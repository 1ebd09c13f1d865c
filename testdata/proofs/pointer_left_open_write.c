// verdict: bounded
// obligations: 6

// Behind the loop the object of p is unknown. Nothing is proved of memory that the write may change: after more than
// 300 iterations the sum is 3.
#include <unitproof.h>

static unsigned char a, c;

int main(void) {
  unsigned n = nd_uint(), m = nd_uint(), count = 0;
  assume(n <= 1000);
  a = c = 1;
  unsigned char *p = &a, *q = &c;
  while (count < n) { // want bounded unwinding
    unsigned char *t = p;
    p = q;
    q = t;
    count++;
  }
  if (m * 2654435761u == 0x12345678)
    *p = 2; // want bounded null-dereference // want bounded invalid-pointer // want bounded out-of-bounds-write
  sassert(n <= 300 || a + c == 2); // want bounded assertion
  return 0;
}
