/*
A bound given for one loop cuts that loop only: what comes behind is bounded, what stands before
it is proved.
verdict: bounded
flags: --unwind parse#2=3
obligations: 3
*/
#include <unitproof.h>

static unsigned parse(const unsigned char *s, unsigned n) {
  unsigned spaces = 0, i = 0;
  for (unsigned k = 0; k < 4; k++)
    spaces += s[k] == ' ';
  sassert(spaces <= 4);
  while (i < n && s[i] != 0) // want bounded unwinding // want bounded out-of-bounds-read
    i++;
  sassert(i <= n); // want bounded assertion
  return i;
}

int main(void) {
  unsigned char text[8];
  memhavoc(text, sizeof text);
  unsigned n = nd_uint();
  assume(n <= sizeof text);
  parse(text, n);
  return 0;
}
