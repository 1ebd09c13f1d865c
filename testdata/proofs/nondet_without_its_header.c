/*
A function that is declared nowhere returns an int, which has fewer values than its name says: what was
proved of these would not hold of all that was meant. Where an int has as many, nothing is lost.
verdict: unknown
obligations: 2
*/
#include <stddef.h>

int main(void) {
  unsigned u = nd_uint(); /* no unitproof.h */
  assume(u > 3);
  sassert(u != 0);
  size_t n = nd_size_t();
  sassert(n < 0x80000000UL || n > 0xffffffff00000000UL); // want unknown assertion
}
