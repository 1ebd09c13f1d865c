/* The sentence and the trace of unreachable; unreachable.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

static int code(unsigned kind) {
  switch (kind) {
  case 0: return 10;
  case 1: return 20;
  }
  __builtin_unreachable(); // want failed unreachable
}

int main(void) {
  unsigned kind = nd_uint();
  assume(kind <= 2);
  sassert(code(kind) > 0);
}
