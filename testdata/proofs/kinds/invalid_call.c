/* The sentence and the trace of invalid-call; invalid_call.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

typedef int (*handler)(int);

static int twice(int x) { return x & 1; }
static int both(int x, int y) { return x & y; }

int main(void) {
  handler table[2] = {twice, (handler)(void (*)(void))both};
  unsigned op = nd_uint();
  assume(op < 2);
  sassert(table[op](3) < 4); // want failed invalid-call
}
