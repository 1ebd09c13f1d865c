/*
What a loop in a constructor leaves out can lead to everything in the entry.
verdict: bounded
flags: --unwind 3
obligations: 2
*/
#include <unitproof.h>

static int n;

__attribute__((constructor)) static void count(void) {
  int runs = nd_int();
  int i = 0;
  while (i < runs && i < 5) // want bounded unwinding
    i++; // want bounded signed-overflow
  n = i; // want bounded out-of-bounds-write
}

int main(void) {
  int k = n; // want bounded out-of-bounds-read
  sassert(k < 4); // want bounded assertion
  return 0;
}
