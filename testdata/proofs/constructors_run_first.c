/*
Functions with the attribute constructor run before main, by priority; static data has its
initial values before them.
verdict: proved
obligations: 3
*/
#include <unitproof.h>

static int order[4] = {-1, -1, -1, -1};
static unsigned used;
static int limit = 40;

__attribute__((constructor(202))) static void second(void) { order[used++] = limit + 2; }

__attribute__((constructor(201))) static void first(void) {
  order[used++] = 1;
  limit++;
}

int main(void) {
  sassert(used == 2);
  sassert(order[0] == 1 && order[1] == 43);
  sassert(order[2] == -1);
  return 0;
}
