/*
The bound of a loop without condition counts its own runs, though a loop inside is not
entered in each of them.
verdict: bounded
flags: --unwind 7
obligations: 2
*/
#include <unitproof.h>

int main(void) {
  unsigned n = nd_uint(), runs = 0;
  assume(n == 0);
  for (;;) {
    runs++; // want bounded unwinding
    for (unsigned i = 0; i < n; i++)
      break;
    if (nd_bool())
      break;
  }
  sassert(runs <= 7); // want bounded assertion
  return 0;
}
